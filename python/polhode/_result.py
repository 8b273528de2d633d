"""What a run has recorded: one block of numbers, and views of it by name."""
from __future__ import annotations

import html
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np

from ._errors import Error, ResultWarning, UnknownName, UsageError
from ._items import Items, Named, Numbers, number_of
from ._native import lib, unknown
from ._page import Page, page_of
from ._values import Array

if TYPE_CHECKING:
    import pandas


_QUICK = 0.5  # s of steps: a notebook shows a run of less by its page, which repeats it


@dataclass(frozen=True)
class Stats:
    """What a run cost, and how well it kept what must be kept."""

    steps: int
    iterations: int  # of Newton's method, all steps together
    jacobians: int
    factorizations: int
    residuals: int
    worst_iterations: int  # of one step
    accepted: int  # with error control
    rejected: int
    h_least: float  # s
    h_most: float
    h_last: float
    divided: int  # constant steps that were made in parts
    smallest: float  # s, the smallest part; 0 if no step was divided
    first_divided: float  # s, time of the first step that was divided
    wall_s: float  # of the steps alone
    cpu_s: float  # in which the thread had a processor
    violation_position: float  # largest over the run
    violation_velocity: float
    energy_initial: float  # J
    energy: float
    work: float
    dissipated: float
    residual: float  # largest: what the balance of energy leaves unexplained


@dataclass(frozen=True)
class Energy:
    """The balance of energy, an array each [J]."""

    kinetic: Array
    potential: Array
    work: Array
    dissipated: Array
    residual: Array

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together."""
        return np.asarray(self.kinetic + self.potential)


@dataclass(frozen=True)
class Event:
    """What happened, and when."""

    name: str
    t: float  # s


@dataclass(frozen=True)
class Layout:
    """Names of a run, and where its columns are."""

    title: str
    names: Mapping[int, dict[str, int]]  # of each list: index by name
    columns: Mapping[tuple[int, int], tuple[int, int, bool]]  # (what, index): first column, numbers, one number alone
    labels: Sequence[str]  # of each column
    units: Sequence[str]


class Recorded(Named):
    """Rows and their names; views of one block, nothing is copied."""

    def __init__(self, rows: Array, layout: Layout) -> None:
        self._rows, self._layout = rows, layout

    def _names(self, list_: int) -> dict[str, int]:
        return self._layout.names.get(list_, {})

    def _view(self, first: int, size: int, alone: bool) -> Numbers:
        return self._rows[:, first] if alone else self._rows[:, first : first + size]

    def _numbers(self, what: int, index: int) -> Numbers:
        place = self._layout.columns.get((what, index))
        if place is None:
            raise UnknownName("this was not recorded, or there is no such number")
        return self._view(*place)

    @property
    def input(self) -> Items[Numbers]:
        """Inputs by name."""
        return Items(self, lib.PH_INPUTS, number_of(lib.PH_GET_INPUT))

    def __getitem__(self, name: str) -> Numbers:
        return self.sensor[name]


class Snapshot(Recorded):
    """All numbers of one moment, by name."""

    def _view(self, first: int, size: int, alone: bool) -> Numbers:
        return float(self._rows[0, first]) if alone else self._rows[0, first : first + size]

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._rows[0, 0])

    def __repr__(self) -> str:
        return f"<state of '{self._layout.title}' at t = {self.t:g} s>"


class Errors(Named):
    """Errors of a run at its end, exact less numerical, with the names of its numbers; of rotations, body-fixed vectors [rad].

    >>> import polhode as ph
    >>> r = ph.load("models/heavy_top.lua").run(t_end=0.1, h=1e-3, error_bars=True)
    >>> r.error["tip"].round(4).tolist()
    [0.0004, -0.0002, 0.0]
    >>> r.error.doubt["tip"].tolist()
    [0.0, 0.0, 1.0]
    """

    def __init__(
        self, names: Mapping[int, dict[str, int]], numbers: Mapping[tuple[int, int], Numbers], doubt: Errors | None = None
    ) -> None:
        self._names_of, self._known, self._doubt = names, numbers, doubt

    @property
    def doubt(self) -> Errors:
        """By the same names, 1 for each error that is not to be trusted yet, since it does not shrink with the step as errors do."""
        if self._doubt is None:
            raise UsageError("these errors were not tested")
        return self._doubt

    def _names(self, list_: int) -> dict[str, int]:
        return self._names_of.get(list_, {})

    def _numbers(self, what: int, index: int) -> Numbers:
        if (what, index) not in self._known:
            raise UnknownName("no error of this number is known")
        return self._known[what, index]

    @property
    def objective(self) -> Items[Numbers]:
        """Objectives by name."""
        return Items(self, lib.PH_OBJECTIVES, number_of(lib.PH_GET_OBJECTIVE))

    def __getitem__(self, name: str) -> Numbers:
        return self.sensor[name]

    def __repr__(self) -> str:
        return f"<errors of {len(self._known)} numbers>"


class Result(Recorded):
    """A run: time, sensors, bodies, joints, energy as numpy arrays, which are views of one block.

    >>> import polhode as ph
    >>> r = ph.load("models/heavy_top.lua").run(t_end=0.1, h=1e-3)
    >>> r.t.shape, r["tip"].shape, r.body["top"].position.shape
    ((101,), (101, 3), (101, 3))
    >>> round(float(r.body["top"].position[-1, 0]), 3)
    0.421
    >>> r
    <result of 'heavy top': 101 rows from t = 0 to 0.1 s, 100 steps>
    """

    def __init__(
        self,
        rows: Array,
        layout: Layout,
        stats: Stats,
        options: Mapping[str, Any],
        parameters: Mapping[str, float],
        objectives: Mapping[str, float],
        source: tuple[Any, tuple[str, ...]] = (None, ()),
        events: Sequence[Event] = (),
        ended_by: str | None = None,
        error: Errors | None = None,
        warnings: Sequence[ResultWarning] = (),
    ) -> None:
        super().__init__(rows, layout)
        self.warnings = list(warnings)  #: reasons to doubt the numbers
        self.events = list(events)  #: events in their order, the first 1024
        self.ended_by = ended_by  #: the event that ended the run before t_end; None: it went on to t_end
        self._error = error
        self.stats = stats  #: counters, violations and energies
        self.options = dict(options)  #: as resolved
        self.parameters = dict(parameters)
        self.objectives = dict(objectives)  #: value of each objective of the model, at the end
        self._source = source  # the model and the options that it was told, for the page

    @property
    def t(self) -> Array:
        """Times of the rows [s]."""
        return self._rows[:, 0]

    @property
    def error(self) -> Errors:
        """Errors at the end, of a run with `error_bars=True`."""
        if self._error is None:
            raise UsageError("this run has no error bars: run it with error_bars=True")
        return self._error

    @property
    def rows(self) -> Array:
        """All that was recorded, one row for each time; `columns` has its names."""
        return self._rows

    @property
    def columns(self) -> list[str]:
        """Names of the columns of `rows`."""
        return list(self._layout.labels)

    @property
    def units(self) -> list[str]:
        """Units of the columns of `rows`."""
        return list(self._layout.units)

    @property
    def energy(self) -> Energy:
        """The balance of energy."""
        e = self._numbers(lib.PH_GET_ENERGY, 0)
        assert not isinstance(e, float)
        return Energy(*(e[:, k] for k in range(5)))

    @property
    def step(self) -> Numbers:
        """Size [s] and Newton iterations of the last step before each row."""
        return self._numbers(lib.PH_GET_STEP, 0)

    def at(self, t: float) -> Snapshot:
        """The row nearest to a time.

        >>> import polhode as ph
        >>> ph.load("models/heavy_top.lua").run(t_end=0.1).at(0.05)
        <state of 'heavy top' at t = 0.05 s>
        """
        if not np.isfinite(t):
            raise UsageError(f"t = {t} is not a time")
        k = int(np.argmin(np.abs(self.t - t)))
        return Snapshot(self._rows[k : k + 1], self._layout)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with t as index and a column for each number."""
        import pandas

        frame = pandas.DataFrame(self._rows[:, 1:], columns=self.columns[1:], copy=False)
        frame.index = pandas.Index(self.t, name="t")
        return frame

    def _columns_of(self, name: str) -> list[int]:
        """Columns of a sensor, of all of a body or joint, or one by its label."""
        if name in self._layout.labels:
            return [self._layout.labels.index(name)]
        found = [k for k, label in enumerate(self._layout.labels) if label.startswith(name + ".")]
        if not found:
            raise unknown("column", name, [*self.sensor, *self._layout.labels])
        return found

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Draw sensors or columns over time, with matplotlib; returns the axes.

        names: of sensors (`"tip"`), or of columns (`"top.x"`); none: all sensors.
        """
        from matplotlib import pyplot

        if ax is None:
            ax = pyplot.figure().add_subplot()
        units = set()
        for name in names or tuple(self.sensor):
            for k in self._columns_of(name):
                ax.plot(self.t, self._rows[:, k], label=self._layout.labels[k])
                units.add(self._layout.units[k])
        ax.set_xlabel("t [s]")
        if len(units) == 1:
            ax.set_ylabel(f"[{units.pop()}]")
        ax.set_title(self._layout.title)
        ax.legend()
        return ax

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        if not len(self._rows):
            return f"<result of '{self._layout.title}': no rows>"
        return (
            f"<result of '{self._layout.title}': {len(self._rows)} rows from t = {self.t[0]:g} to {self.t[-1]:g} s, "
            f"{self.stats.steps} steps>"
        )

    def _summary(self) -> str:
        """A table of the last values, as HTML."""
        lines = [f"<b>{html.escape(repr(self)[1:-1])}</b>", "<table>"]
        if len(self._rows):
            for name in self.sensor:
                for k in self._columns_of(name):
                    label, unit = self._layout.labels[k], self._layout.units[k]
                    lines.append(f"<tr><td>{html.escape(label)}</td><td>{self._rows[-1, k]:.9g} {html.escape(unit)}</td></tr>")
        return "\n".join([*lines, "</table>"])

    def view(self) -> Page:
        """A page that shows the run move: a notebook displays it, `.open()` shows it in a browser, `.save(file)` keeps it.

        The program `polhode` makes it, which runs the model once more.
        """
        model, options = self._source
        return page_of(model, self._layout.title, self.parameters, options)

    def _repr_html_(self) -> str:
        """The page, of runs that take no time worth speaking of, and the last values."""
        shown = ""
        if self._source[0] is not None and self.stats.wall_s < _QUICK:
            try:
                shown = self.view()._repr_html_()
            except (OSError, Error):
                pass  # a table is still something
        return shown + self._summary()

    def __reduce__(self) -> tuple[object, ...]:
        layout = Layout(**{f.name: getattr(self._layout, f.name) for f in fields(Layout)})
        rows = np.array(self._rows)
        numbers = rows, layout, self.stats, self.options, self.parameters, self.objectives, self._source
        return type(self), (*numbers, self.events, self.ended_by, self._error, self.warnings)


def stats_of(summary: Any) -> Stats:
    """From ph_run_summary."""
    s = summary.stats
    of_summary = {f.name for f in fields(Stats)} - set(dir(s))
    return Stats(**{f.name: getattr(summary if f.name in of_summary else s, f.name) for f in fields(Stats)})

