"""Polhode: constrained mechanical systems on Lie groups.

>>> import polhode as ph
>>> sim = ph.load("models/heavy_top.lua", m=15)
>>> r = sim.run(t_end=1.0, h=1e-3)
>>> r["tip"][-1].round(3).tolist()
[0.346, 1.28, -1.497]
"""
from ._analysis import Linear, Modes, Sensitivities, StaticStats
from ._called import TraceWarning, called
from ._errors import CompileWarning, Error, ModelError, NumericalFailure, ResultWarning, Stopped, UnknownName, UsageError
from ._items import Body, Constraint, Items, Joint, Node
from ._lie import SE3, SO3, Group, R, R3xSO3, r3xso3, se3, so3
from ._model import Model, load
from ._native import VERSION as __version__
from ._page import Page
from ._result import Energy, Errors, Event, Result, Snapshot, Stats
from ._simulation import Simulation
from ._symbols import Expr, TraceError
from ._studies import Optimum, Table, campbell, converge, optimise, stability, sweep, transient, work
from ._system import Check, Point, System, SystemSimulation

__all__ = [
    "Body",
    "Check",
    "CompileWarning",
    "Constraint",
    "Energy",
    "Errors",
    "Event",
    "Expr",
    "Error",
    "Group",
    "Items",
    "Joint",
    "Linear",
    "Model",
    "ModelError",
    "Modes",
    "Node",
    "NumericalFailure",
    "Optimum",
    "Page",
    "Point",
    "R",
    "R3xSO3",
    "Result",
    "ResultWarning",
    "SE3",
    "SO3",
    "Sensitivities",
    "Simulation",
    "Snapshot",
    "StaticStats",
    "Stats",
    "Stopped",
    "System",
    "SystemSimulation",
    "Table",
    "TraceError",
    "TraceWarning",
    "UnknownName",
    "UsageError",
    "__version__",
    "called",
    "campbell",
    "converge",
    "load",
    "optimise",
    "r3xso3",
    "se3",
    "so3",
    "stability",
    "sweep",
    "transient",
    "work",
]
