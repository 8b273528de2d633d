"""A simulation: a model with its state, which steps, runs, saves and is analysed."""
from __future__ import annotations

import os
import threading
import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, Union

import numpy as np

from ._called import Host
from ._analysis import Linear, Modes, Sensitivities, StaticStats, modes_of
from ._errors import CompileWarning, ModelError, ResultWarning, UsageError
from ._items import Items, Named, Numbers, number_of
from ._native import fail, ffi, lib, text, unknown
from ._result import Energy, Errors, Event, Layout, Result, Snapshot, Stats, stats_of
from ._outside import Inputs, Parameters
from ._settings import Option, Settings, Texts, config_of, number, option_text
from ._values import Array, Number, Vector

Record = Union[str, Iterable[str], None]

# Numbers that are lists, however few there are.
_LISTED = (lib.PH_GET_MULTIPLIERS, lib.PH_GET_NODE, lib.PH_GET_NODE_VELOCITY, lib.PH_GET_NODE_ACCELERATION)
_NO_H = "the model says no h: give a step size, as in sim.run(h=1e-3) or sim.set_options(h=1e-3)"
AIR = 0.05  # s between looks at signals, in a long run

_LISTS = (
    lib.PH_BODIES, lib.PH_JOINTS, lib.PH_SENSORS, lib.PH_PARAMETERS, lib.PH_OBJECTIVES, lib.PH_INPUTS, lib.PH_STATES,
    lib.PH_ACTUATORS, lib.PH_EVENTS, lib.PH_FLEXIBLE, lib.PH_NODES, lib.PH_CONSTRAINTS,
)  # fmt: skip
# What of each list is recorded, and the word that chooses all of it.
_RECORDED = {
    "bodies": (lib.PH_BODIES, (lib.PH_GET_POSITION, lib.PH_GET_ROTATION, lib.PH_GET_VELOCITY, lib.PH_GET_OMEGA,
                               lib.PH_GET_ACCELERATION, lib.PH_GET_OMEGA_DOT)),
    "joints": (lib.PH_JOINTS, (lib.PH_GET_JOINT_POSITION, lib.PH_GET_JOINT_RATE, lib.PH_GET_REACTION, lib.PH_GET_MULTIPLIERS)),
    "constraints": (lib.PH_CONSTRAINTS, (lib.PH_GET_MULTIPLIERS,)),
    "nodes": (lib.PH_NODES, (lib.PH_GET_NODE, lib.PH_GET_NODE_VELOCITY, lib.PH_GET_NODE_ACCELERATION)),
    "sensors": (lib.PH_SENSORS, (lib.PH_GET_SENSOR,)),
    "inputs": (lib.PH_INPUTS, (lib.PH_GET_INPUT,)),
    "states": (lib.PH_STATES, (lib.PH_GET_STATE,)),
    "actuators": (lib.PH_ACTUATORS, (lib.PH_GET_EFFORT,)),
    "energy": (None, (lib.PH_GET_ENERGY,)),
    "violation": (None, (lib.PH_GET_VIOLATION,)),
    "step": (None, (lib.PH_GET_STEP,)),
}  # fmt: skip
_WORDS = {lib.PH_GET_JOINT_POSITION: "position", lib.PH_GET_JOINT_RATE: "rate",
          lib.PH_GET_NODE: "q", lib.PH_GET_NODE_VELOCITY: "v", lib.PH_GET_NODE_ACCELERATION: "vdot"}  # fmt: skip


class Simulation(Named):
    """A model with its state. One thread at a time; several simulations in several threads run at the same time.

    >>> import polhode as ph
    >>> sim = ph.load("models/heavy_top.lua", m=16)
    >>> sim
    <simulation of 'heavy top': 1 body, 1 joint, 3 sensors; t = 0 s>
    >>> while sim.t < 0.01 - 1e-9:
    ...     sim.step()
    >>> sim.body["top"].position.round(5).tolist()
    [0.0461, 0.99894, -0.00148]
    """

    def __init__(self, title: str, file: str, source: Any = None) -> None:
        self._title, self._file, self._source = title, file, source
        self._told: dict[str, str] = {}  # options, by key
        self._err = ffi.new("ph_error *")
        self._run: Any = None
        # Bound once, so that a step costs some tenths of a microsecond beside what C does.
        self._acquire: Any = _no_step
        self._release: Any = None
        self._step: Any = None
        self._time: Any = _no_step
        self._index: dict[int, dict[str, int]] = {}
        self._buffers: dict[int, tuple[Any, Array]] = {}
        self._sizes: dict[tuple[int, int], int] = {}
        self._structure = -1
        self._layout: Layout | None = None  # of the table; None: it has no columns
        self._recorded: Any = None  # what was asked for
        self._wanted: Record = "all"  # what steps record if nothing else is asked for
        self._parameters = Parameters(self)
        self._inputs = Inputs(self)

    # ---- open ---------------------------------------------------------------------------------------------

    def _create(self, options: Sequence[str]) -> None:
        """Make the run; overridden by where it comes from."""
        raise NotImplementedError

    def _adopt(self, run: Any) -> None:
        lock = threading.RLock()  # of one thread: an interrupt between two lines must not lock it out for ever
        self._acquire, self._release = lock.acquire, lock.release
        self._run, self._step, self._time = run, self._first_step, lib.ph_run_time
        self._look_up()

    def _ready(self) -> Any:
        if self._run is None:
            raise UsageError(_NO_H)
        return self._run

    def _look_up(self) -> None:
        """Names and sizes, where they changed."""
        run = self._run
        if self._structure == lib.ph_run_structure(run):
            return
        self._structure = lib.ph_run_structure(run)
        self._index = {
            k: {text(lib.ph_run_name(run, k, i)) or f"{i}": i for i in range(lib.ph_run_count(run, k))} for k in _LISTS
        }
        self._sizes, self._layout, self._step = {}, None, self._first_step

    @contextmanager
    def _alone(self) -> Iterator[Any]:
        """The run, for one thread."""
        if not self._acquire(False):
            self._busy()
        try:
            yield self._ready()
        finally:
            self._release()

    def _busy(self) -> None:
        raise UsageError("this simulation is at work in another thread; use a simulation for each thread")

    def _check(self, status: int) -> None:
        if status:
            self._fail(status)

    def _held(self, run: Any, call: Callable[[], int]) -> int:
        """One long call of C that Ctrl-C ends: it works in a thread, which the main thread can stop."""
        if threading.current_thread() is not threading.main_thread():
            return call()
        out: list[int] = []
        raised: list[BaseException] = []
        done = threading.Event()  # and not join, which an interrupt may end before the thread does

        def work() -> None:
            try:
                out.append(call())
                if out[0]:
                    self._reraise()
            except BaseException as e:  # noqa: BLE001: it goes on in the main thread
                raised.append(e)
            finally:
                done.set()

        threading.Thread(target=work, daemon=True).start()
        try:
            while not done.wait(AIR):
                pass
        except BaseException:
            lib.ph_run_stop(run)
            done.wait()
            raise
        if raised:
            raise raised[0]
        return out[0]

    def _reraise(self) -> None:
        """An exception of a function of Python that C called back."""

    def _fail(self, status: int) -> None:
        self._reraise()
        fail(status, self._err, None, lib.ph_run_failure(self._run), self._name_of)

    def _name_of(self, list_: int, index: int) -> str:
        return text(lib.ph_run_name(self._run, list_, index)) or str(index)

    # ---- names and numbers ----------------------------------------------------------------------------------

    def _names(self, list_: int) -> dict[str, int]:
        self._ready()
        return self._index.get(list_, {})

    def _size(self, what: int, index: int) -> int:
        n = self._sizes.get((what, index))
        if n is None:
            n = self._sizes[what, index] = int(lib.ph_run_size(self._run, what, index))
        return n

    def _buffer(self, n: int) -> tuple[Any, Array]:
        if n not in self._buffers:
            c = ffi.new("double[]", max(n, 1))
            self._buffers[n] = c, np.frombuffer(ffi.buffer(c), dtype=np.float64)[:n]
        return self._buffers[n]

    def _numbers(self, what: int, index: int) -> Numbers:
        n = self._size(what, index)
        if n == 0:
            raise UsageError("there is no such number here: a particle does not turn, and only joints with one free coordinate have one")
        c, view = self._buffer(n)
        status = lib.ph_run_get(self._run, what, index, c)
        if status:
            self._err.text = b""
            if status == lib.PH_E_CALLBACK:  # the function of a sensor or objective, say: the model knows why
                lib.ph_run_complaint(self._run, self._err.text, ffi.sizeof(self._err.text))
            self._fail(status)
        return float(c[0]) if n == 1 and what not in _LISTED else view.copy()

    @property
    def input(self) -> Inputs:
        """Inputs by name: `sim.input["u"] = 2` from now on; `sim.input["u"] = t, u` a table over time."""
        return self._inputs

    def _set_table(self, name: str, k: int, t: Vector, u: Vector) -> None:
        try:
            times, values = (np.ascontiguousarray(x, dtype=np.float64) for x in (t, u))
        except (TypeError, ValueError):
            raise UsageError(f"input {name}: a table is two lists of numbers, times and values") from None
        if times.ndim != 1 or times.shape != values.shape:
            raise UsageError(f"input {name}: times have the shape {times.shape} and values {values.shape}; both must be lists of one length")
        with self._alone() as run:
            to = (ffi.from_buffer("double[]", x) for x in (times, values))
            self._check(lib.ph_run_set_input_table(run, k, len(times), *to, self._err))

    @property
    def objective(self) -> Items[Numbers]:
        """Objectives by name: integral to now, plus final value at the present state."""
        return Items(self, lib.PH_OBJECTIVES, number_of(lib.PH_GET_OBJECTIVE))

    def __getitem__(self, name: str) -> Numbers:
        return self._numbers(lib.PH_GET_SENSOR, self._find(lib.PH_SENSORS, name))

    @property
    def parameters(self) -> Mapping[str, float]:
        """Parameters by name; `set` changes them."""
        return self._parameters

    @property
    def t(self) -> float:
        """Present time [s]."""
        t: float = self._time(self._run)
        return t

    @property
    def t_end(self) -> float:
        """Where `run` ends [s]; 0: neither file nor options say."""
        return float(lib.ph_run_end(self._ready()))

    @property
    def energy(self) -> Energy:
        """The balance of energy, now."""
        e = self._numbers(lib.PH_GET_ENERGY, 0)
        assert not isinstance(e, float)
        return Energy(*e)

    @property
    def called(self) -> dict[str, str]:
        """Functions that are called and differenced instead of traced, by their element, and why: slower, and with fewer digits.

        >>> import polhode as ph
        >>> ph.load("models/cart_pendulum.lua").called
        {}
        """
        info, out = ffi.new("ph_function_info *"), {}
        model = lib.ph_run_model(self._ready())
        k = 0
        while model != ffi.NULL and lib.ph_model_function(model, k, info):
            if info.reason != ffi.NULL:
                out[text(info.element)] = text(info.reason)
            k += 1
        return out

    @property
    def stats(self) -> Stats:
        """Counters so far."""
        return stats_of(lib.ph_run_summarise(self._ready()))

    @property
    def warnings(self) -> list[ResultWarning]:
        """Reasons to doubt the results so far, although no step failed."""
        run = self._ready()
        n = lib.ph_run_warnings(run, ffi.NULL, 0)
        w = ffi.new("ph_warning[]", max(1, n))
        n = min(n, lib.ph_run_warnings(run, w, n))
        return [ResultWarning(text(w[k].text), text(w[k].what), float(w[k].t)) for k in range(n)]

    @property
    def options(self) -> dict[str, Any]:
        """Options as they were resolved."""
        o = lib.ph_run_options(self._ready())
        words = {
            "method": text(o.method),
            "formulation": text(lib.ph_formulation_word(o.formulation)),
            "newton": text(lib.ph_newton_word(o.newton)),
            "start": text(lib.ph_start_word(o.start)),
            "correction": text(lib.ph_correction_word(o.correction)),
            "tableau": text(o.tableau),
            "solver": text(lib.ph_solver_word(o.solver)),
        }
        numbers = ("h", "sigma", "rho", "order", "tol", "atol", "rtol", "max_iterations", "halvings")
        return {"t_end": self.t_end, **{k: getattr(o, k) for k in numbers}, **words}

    # ---- settings -------------------------------------------------------------------------------------------

    def set(self, values: Mapping[str, Number] | None = None, /, **parameters: Number) -> None:
        """Set parameters by name, and start anew; those not named stay.

        >>> import polhode as ph
        >>> sim = ph.load("models/heavy_top.lua")
        >>> sim.set(m=20)
        >>> sim.parameters["m"]
        20.0
        """
        every = {**(values or {}), **parameters}
        for name in every:
            self._find(lib.PH_PARAMETERS, name)
        given = Settings(every)
        with self._alone() as run:
            self._check(lib.ph_run_set_parameters(run, given.list, given.count, self._err))
            self._look_up()

    def set_options(self, **options: Option) -> None:
        """Set options, the keys of run{} in model files, and start anew; those not named stay."""
        texts = {k: option_text(k, v) for k, v in options.items() if v is not None}
        if self._run is None:
            self._create(list(texts.values()))
        else:
            given = Texts(list(texts.values()))
            with self._alone() as run:
                self._check(lib.ph_run_set_options(run, given.list, given.count, self._err))
                self._look_up()
        self._told.update(texts)

    def reset(self) -> None:
        """Back to the initial time and values."""
        with self._alone() as run:
            self._check(lib.ph_run_reset(run, self._err))

    # ---- steps ----------------------------------------------------------------------------------------------

    def step(self) -> None:
        """One step; with error control, to the next point of the grid. If it fails the state is as before."""
        if not self._acquire(False):
            self._busy()
        try:
            status = self._step(self._run, self._err)
        finally:
            self._release()
        if status:
            self._fail(status)

    def _first_step(self, run: Any, err: Any) -> int:
        """A step without a table: steps from it on are recorded."""
        if self._layout is None:
            self.record(self._wanted)
        self._step = lib.ph_run_step
        return int(lib.ph_run_step(run, err))

    def until(self, t: float) -> None:
        """Steps until t [s]. The work is done outside of the interpreter lock; KeyboardInterrupt stops it after a step."""
        with self._alone() as run:
            if self._layout is None:
                self.record(self._wanted)
            self._until(run, number("t", t))

    def _until(self, run: Any, t: float) -> None:
        arrived = ffi.new("int *")
        while not arrived[0]:
            status = lib.ph_run_until_or(run, t, AIR, arrived, self._err)
            if status:
                self._fail(status)

    def stop(self) -> None:
        """Ask `until` or `run`, at work in another thread, to return after the step under way: it raises Stopped."""
        lib.ph_run_stop(self._ready())

    @property
    def events(self) -> list[Event]:
        """Events since the start, in their order; the first 1024.

        >>> import polhode as ph
        >>> sim = ph.load("models/bouncing_ball.lua")
        >>> sim.until(0.5)
        >>> sim.events[0].name, round(sim.events[0].t, 6)
        ('touch', 0.403924)
        """
        n = ffi.new("int *")
        first = lib.ph_run_events(self._ready(), n)
        return [Event(self._name_of(lib.PH_EVENTS, first[k].event), float(first[k].t)) for k in range(n[0])] if first else []

    @property
    def ended_by(self) -> str | None:
        """The event that has ended the run; None: none has."""
        k = lib.ph_run_ended_by(self._ready())
        return self._name_of(lib.PH_EVENTS, k) if k >= 0 else None

    def _errors(self, run: Any) -> Errors:
        numbers: dict[tuple[int, int], Numbers] = {}
        doubts: dict[tuple[int, int], Numbers] = {}
        c, view = self._buffer(64)
        signs = ffi.new("int[]", 64)
        whats = [(w, index) for w, index, _ in self._chosen("all")]
        whats += [(lib.PH_GET_OBJECTIVE, k) for k in self._index[lib.PH_OBJECTIVES].values()]
        for w, index in whats:
            n = 3 if w == lib.PH_GET_ROTATION else self._size(w, index)
            if n <= len(view) and lib.ph_run_get_error(run, w, index, c) == 0:
                numbers[w, index] = float(view[0]) if n == 1 and w not in _LISTED else view[:n].copy()
                if lib.ph_run_get_doubt(run, w, index, signs) == 0:
                    doubt = np.array([float(signs[k]) for k in range(n)])
                    doubts[w, index] = float(doubt[0]) if n == 1 and w not in _LISTED else doubt
        return Errors(self._index, numbers, Errors(self._index, doubts))

    def run(
        self,
        t_end: float | None = None,
        *,
        record: Record = "all",
        error_bars: bool = False,
        compiled: bool | None = None,
        **options: Option,
    ) -> Result:
        """From the initial values to t_end, or to an event that stops it; options are the keys of run{} in model files, and stay set.

        record: what the result has: "all", None, or a list of names of bodies, joints and sensors, and of the words
        bodies, joints, constraints, nodes, sensors, energy, violation, step. error_bars: `error` of the result has the
        errors of its end, exact less numerical, and `error.doubt` says which are not to be trusted yet, by a run with
        steps twice as large. compiled: steps by the compiled model, which the C compiler of the system
        builds, from now on; False: no longer. Where it cannot be, a CompileWarning says why, and the run goes on without.

        >>> import polhode as ph
        >>> r = ph.load("models/heavy_top.lua").run(t_end=0.1, h=1e-3, formulation="index3", record=["tip"])
        >>> r.columns
        ['t', 'tip.1', 'tip.2', 'tip.3']
        """
        if t_end is not None:
            options["t_end"] = number("t_end", t_end)
        if options or self._run is None:
            self.set_options(**options)
        else:
            self.reset()
        if compiled is not None:
            self._compile(compiled)
        self.record(record)
        with self._alone() as run:
            end = float(lib.ph_run_end(run))
            if not end > 0:
                raise UsageError("the model says no t_end: give one, as in sim.run(t_end=1)")
            if error_bars:
                self._check(lib.ph_run_test_bars(run, end, self._err))
                self._check(lib.ph_run_error_bars(run, 1, self._err))
            self._until(run, end)
            result = self._take(run, self._errors(run) if error_bars else None)
        for warning in result.warnings:
            warnings.warn(warning, stacklevel=2)
        return result

    def _compile(self, on: bool) -> None:
        with self._alone() as run:
            if lib.ph_run_set_compiled(run, on, self._err):
                warnings.warn(f"{text(self._err.text)}; the run goes on without", CompileWarning, stacklevel=3)

    @property
    def compiled(self) -> bool:
        """Steps are made by the compiled model."""
        return self._run is not None and bool(lib.ph_run_is_compiled(self._run))

    # ---- the table ------------------------------------------------------------------------------------------

    def record(self, what: Record = "all", every: int | None = None) -> None:
        """Choose what `step` and `until` record from now on; `result` has it. Without it they record "all", as `run` does;
        None: nothing, for long loops. every: steps from row to row."""
        self._wanted = what
        with self._alone() as run:
            if every is not None:
                lib.ph_run_record_every(run, every)
            key = what if isinstance(what, str) or what is None else frozenset(what)
            if self._layout is not None and self._recorded == key:
                return  # the table has these columns
            self._forget(run)
            chosen = self._chosen(what)
            columns: dict[tuple[int, int], tuple[int, int, bool]] = {}
            labels, units = ["t"], ["s"]
            first = ffi.new("int *")
            for w, index, name in chosen:
                n = self._size(w, index)
                self._check(lib.ph_run_record(run, w, index, first, self._err))
                columns[w, index] = first[0], n, n == 1 and w not in _LISTED
                for k in range(n):
                    labels.append(self._label(w, index, k, n, name))
                    units.append(text(lib.ph_run_unit(run, w, index, k)))
            self._recorded = key
            self._layout = Layout(self._title, self._index, columns, labels, units)

    def _forget(self, run: Any) -> None:
        lib.ph_run_record_none(run)
        self._layout, self._step = None, self._first_step

    def _label(self, what: int, index: int, k: int, n: int, name: str) -> str:
        label = text(lib.ph_run_label(self._run, what, index, k))
        if what == lib.PH_GET_MULTIPLIERS:
            return f"{name}.lambda{k + 1}"
        parts = [name, _WORDS.get(what, ""), label]
        return ".".join(p for p in parts if p)

    def _chosen(self, what: Record) -> list[tuple[int, int, str]]:
        """(what, index, name) of all that is asked for, in the order of the model."""
        if what is None:
            return []
        wanted = set(_RECORDED) if what == "all" else {what} if isinstance(what, str) else set(what)
        names = {name for word, (k, _) in _RECORDED.items() if k is not None for name in self._index[k]}
        for word in wanted:
            if word not in _RECORDED and word not in names:
                raise unknown("body, joint or sensor", word, [*names, *_RECORDED])
        out = []
        for word, (list_, whats) in _RECORDED.items():
            items = [(word, 0)] if list_ is None else list(self._index[list_].items())
            for name, index in items:
                if word not in wanted and name not in wanted:
                    continue
                at = index + len(self._index[lib.PH_JOINTS]) if word == "constraints" and self._index[lib.PH_JOINTS] else index
                out += [(w, at, name) for w in whats if self._size(w, at)]
        return out

    def _no_rows(self) -> Layout:
        return Layout(self._title, self._index, {}, ["t"], ["s"])

    def _result(self, rows: Array, error: Errors | None = None) -> Result:
        objectives = {}
        for name, k in self._index[lib.PH_OBJECTIVES].items():
            c, _ = self._buffer(1)
            objectives[name] = float(c[0]) if lib.ph_run_get(self._run, lib.PH_GET_OBJECTIVE, k, c) == 0 else float("nan")
        layout = self._layout or self._no_rows()
        source = self._source, tuple(self._told.values())
        return Result(rows, layout, self.stats, self.options, dict(self.parameters), objectives, source, self.events, self.ended_by, error, self.warnings)

    def _take(self, run: Any, error: Errors | None = None) -> Result:
        """The rows become those of the result: no copy is made."""
        rows, columns = ffi.new("long *"), ffi.new("int *")
        block = lib.ph_run_take_rows(run, rows, columns)
        if block == ffi.NULL:
            return self._result(np.empty((0, 1)), error)
        owned = ffi.gc(block, _free_rows, rows[0] * columns[0] * 8)
        flat = np.frombuffer(ffi.buffer(owned, rows[0] * columns[0] * 8), dtype=np.float64)
        return self._result(flat.reshape(rows[0], columns[0]), error)

    def result(self) -> Result:
        """What was recorded so far, as a copy: by `step` and `until`, or by a `run` that was interrupted.

        >>> import polhode as ph
        >>> sim = ph.load("models/heavy_top.lua")
        >>> for _ in range(10):
        ...     sim.step()
        >>> r = sim.result()
        >>> len(r), round(float(r.t[-1]), 6), r["tip"].shape
        (11, 0.01, (11, 3))
        """
        with self._alone() as run:
            rows, columns = ffi.new("long *"), ffi.new("int *")
            block = lib.ph_run_rows(run, rows, columns)
            if block == ffi.NULL or rows[0] == 0:
                return self._result(np.empty((0, max(1, columns[0]))))
            flat = np.frombuffer(ffi.buffer(block, rows[0] * columns[0] * 8), dtype=np.float64).copy()
            return self._result(flat.reshape(rows[0], columns[0]))

    def now(self) -> Snapshot:
        """All numbers of this moment, by name."""
        with self._alone() as run:
            columns: dict[tuple[int, int], tuple[int, int, bool]] = {}
            row = [float(lib.ph_run_time(run))]
            for w, index, _ in self._chosen("all"):
                n = self._size(w, index)
                columns[w, index] = len(row), n, n == 1 and w not in _LISTED
                row += np.atleast_1d(self._numbers(w, index)).tolist()
            return Snapshot(np.array([row]), Layout(self._title, self._index, columns, [], []))

    # ---- save and restore --------------------------------------------------------------------------------------

    def save(self) -> bytes:
        """All that changes, as bytes; a run of the same model, parameters and options goes on with the same bits."""
        with self._alone() as run:
            size = lib.ph_run_save_size(run)
            to = ffi.new("char[]", size)
            self._err.text = b""
            self._check(lib.ph_run_save(run, to, size))
            return bytes(ffi.buffer(to, size))

    def restore(self, saved: bytes) -> None:
        """Go on from what `save` gave."""
        try:
            given = ffi.from_buffer(saved)
        except TypeError:
            raise UsageError(f"restore takes the bytes that save gave, not a {type(saved).__name__}") from None
        with self._alone() as run:
            self._check(lib.ph_run_restore(run, given, len(given), self._err))

    def freeze(self, file: str | os.PathLike[str]) -> None:
        """Write the resolved model as JSON, which `load` reads: the same model bit for bit. Whole or not at all."""
        part = f"{os.fspath(file)}.part"
        with self._alone() as run:
            model = lib.ph_run_model(run)
            if model == ffi.NULL:
                raise UsageError("a system of one's own cannot be frozen")
            try:
                with open(part, "w", encoding="utf-8") as to:
                    self._check(lib.ph_model_freeze(model, to, self._err))
                os.replace(part, file)
            except BaseException:
                if os.path.exists(part):
                    os.unlink(part)
                raise

    # ---- analysis ------------------------------------------------------------------------------------------------

    def _parameter_list(self, parameters: Sequence[str] | str) -> list[str]:
        names = [parameters] if isinstance(parameters, str) else list(parameters)
        for name in names:
            self._find(lib.PH_PARAMETERS, name)
        return names

    def value_and_grad(
        self, objective: str, parameters: Sequence[str] | str, at: Vector | None = None, memory: int = 0
    ) -> tuple[float, Array]:
        """The objective of a run to t_end and its gradient by parameters, by the adjoint method.

        at: values of the parameters, set before; so that `lambda x: sim.value_and_grad(name, names, x)` is what
        scipy.optimize.minimize(jac=True) takes. memory: bytes that bound the checkpoints; 0: the root of the steps.
        Ctrl-C ends it after a step; the simulation stays where that was.
        """
        names = self._parameter_list(parameters)
        k = self._find(lib.PH_OBJECTIVES, objective)
        if at is not None:
            values = np.asarray(at, dtype=float)
            if values.shape != (len(names),):
                raise UsageError(f"at has the shape {values.shape}; there are {len(names)} parameters: it must be ({len(names)},)")
            self.set(dict(zip(names, values.tolist())))
        indices = ffi.new("int[]", [self._find(lib.PH_PARAMETERS, n) for n in names])
        value, gradient = ffi.new("double *"), ffi.new("double[]", max(1, len(names)))
        with self._alone() as run:
            self._forget(run)
            self._check(self._held(run, lambda: int(lib.ph_run_gradient(run, k, indices, len(names), memory, value, gradient, self._err))))
        return float(value[0]), np.array(list(gradient))

    def sens(self, parameters: Sequence[str] | str, mode: str = "direct", **options: Option) -> Sensitivities:
        """Run to t_end and differentiate by parameters.

        mode: "direct": of bodies, joints, sensors and objectives, along with the run;
        "adjoint": of all objectives, backwards; the cost hardly depends on the number of parameters.
        """
        names = self._parameter_list(parameters)
        if options:
            self.set_options(**options)
        if mode == "adjoint":
            gradients = {o: self.value_and_grad(o, names)[1] for o in self._names(lib.PH_OBJECTIVES)}
            return Sensitivities(self._title, names, self._index, {}, gradients)
        if mode != "direct":
            raise UsageError(f"mode '{mode}' is neither 'direct' nor 'adjoint'")
        self.reset()
        indices = ffi.new("int[]", [self._find(lib.PH_PARAMETERS, n) for n in names])
        with self._alone() as run:
            self._forget(run)
            self._check(lib.ph_run_follow(run, indices, len(names), self._err))
            try:
                self._until(run, float(lib.ph_run_end(run)))
                return self._derivatives(run, names)
            finally:
                lib.ph_run_follow(run, ffi.NULL, 0, ffi.NULL)

    def _derivatives(self, run: Any, names: list[str]) -> Sensitivities:
        columns: dict[tuple[int, int], Array] = {}
        objectives: dict[str, Array] = {}
        wanted = self._chosen(["bodies", "joints", "constraints", "sensors", "states"])
        wanted += [(lib.PH_GET_OBJECTIVE, k, name) for name, k in self._index[lib.PH_OBJECTIVES].items()]
        for what, index, name in wanted:
            n = 3 if what == lib.PH_GET_ROTATION else self._size(what, index)
            c, view = self._buffer(n)
            by_parameter = []
            for k in range(len(names)):
                if lib.ph_run_get_derivative(run, what, index, k, c):
                    break
                by_parameter.append(view.copy())
            else:
                d = np.array(by_parameter).T.reshape(n, len(names))
                if what == lib.PH_GET_OBJECTIVE:
                    objectives[name] = d[0]
                else:
                    columns[what, index] = d
        return Sensitivities(self._title, names, self._index, columns, objectives)

    def static(self, steps: int | None = None, stable: bool = False) -> Snapshot:
        """Move to an equilibrium at the present time, at rest; returns it. steps: load steps to begin with.

        `sim.static_stats.stability` tells whether it is stable; stable=True leaves unstable equilibria until a stable one is found.
        """
        options = ffi.new("ph_static_options *", lib.ph_default_static())
        if steps is not None:
            options.steps = steps
        options.stable = stable
        stats = ffi.new("ph_static_stats *")
        with self._alone() as run:
            self._forget(run)
            options.solver = lib.ph_run_options(run).solver
            self._check(lib.ph_run_static(run, options, stats, self._err))
            held = ffi.new("ph_stuck[]", lib.ph_run_stuck(run, ffi.NULL, 0))
            lib.ph_run_stuck(run, held, len(held))
        rest = stats.rest
        self.static_stats = StaticStats(
            stats.load_steps,
            stats.cuts,
            stats.iterations,
            stats.relaxed,
            {lib.PH_REST_STABLE: "stable", lib.PH_REST_UNSTABLE: "unstable"}.get(rest.code, "undecided"),
            rest.growth,
            ffi.string(rest.why).decode(),
            stats.left,
            {ffi.string(h.joint).decode(): h.ratio for h in held},
        )
        return self.now()

    def modes(self) -> Modes:
        """Vibrations about the present state, which is at rest or moves steadily."""
        out = ffi.new("ph_modes **")
        with self._alone() as run:
            self._check(lib.ph_run_modes(out, run, self._err))
            return modes_of(ffi.gc(out[0], lib.ph_modes_destroy), int(lib.ph_system_nv(lib.ph_run_system(run))), self._title)

    def linearise(self, modes: int = 0) -> Linear:
        """The model about the present state, from inputs to sensors: x' = A x + B u, y = C x + D u.

        With `modes=K` x holds the amplitudes of the K lowest modes, their rates, and states, for systems of any size at rest.

        >>> import polhode as ph
        >>> A, B, C, D = ph.load("models/double_pendulum.lua").linearise()
        >>> A.shape
        (4, 4)
        """
        sizes = [ffi.new("int *") for _ in range(3)]
        with self._alone() as run:
            self._check(lib.ph_run_linear_modes(run, modes, self._err))
            self._check(lib.ph_run_linear_sizes(run, *sizes, self._err))
            n_x, n_u, n_y = (s[0] for s in sizes)
            shapes = ((n_x, n_x), (n_x, n_u), (n_y, n_x), (n_y, n_u))
            matrices = [np.zeros(shape) for shape in shapes]
            to = [ffi.from_buffer("double[]", m) if m.size else ffi.NULL for m in matrices]
            self._check(lib.ph_run_linearise(run, *to, self._err))
            states = [text(lib.ph_run_linear_name(run, k)) for k in range(n_x)]
            outputs = []
            for name, k in self._index[lib.PH_SENSORS].items():
                n = self._size(lib.PH_GET_SENSOR, k)
                outputs += [self._label(lib.PH_GET_SENSOR, k, i, n, name) for i in range(n)]
        return Linear(matrices[0], matrices[1], matrices[2], matrices[3], states, list(self._index[lib.PH_INPUTS]), outputs)

    # ---- words -----------------------------------------------------------------------------------------------------

    def _counts(self) -> str:
        words = {lib.PH_BODIES: ("body", "bodies"), lib.PH_JOINTS: ("joint", "joints"), lib.PH_SENSORS: ("sensor", "sensors"),
                 lib.PH_NODES: ("node", "nodes")}  # fmt: skip
        counted = ((len(self._index.get(k, {})), one, many) for k, (one, many) in words.items())
        return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counted if n)

    def __repr__(self) -> str:
        if self._run is None:
            return f"<simulation of '{self._title}': no step size yet>"
        return f"<simulation of '{self._title}': {self._counts()}; t = {self.t:g} s>"


def _no_step(*_: Any) -> int:
    """In place of functions that need a run, as long as there is none."""
    raise UsageError(_NO_H)


def _free_rows(block: Any) -> None:
    lib.ph_rows_free(block, ffi.NULL)


class ModelSimulation(Simulation):
    """A simulation of a model that was read."""

    def __init__(
        self,
        model: Any,
        file: str,
        source: Any,
        explain: Callable[[ModelError], ModelError] | None = None,
        host: Host | None = None,
    ) -> None:
        super().__init__(text(lib.ph_model_title(model)) or os.path.basename(file), file, source)
        self._model, self._explain, self._host = model, explain, host
        said = lib.ph_model_run_def(model)
        if said.opt.h > 0 or said.opt.tol > 0:
            self._create([])

    def _reraise(self) -> None:
        if self._host is not None:
            self._host.reraise()

    def _fail(self, status: int) -> None:
        try:
            super()._fail(status)
        except ModelError as e:
            raise self._explain(e) if self._explain is not None else e

    def _create(self, options: Sequence[str]) -> None:
        out = ffi.new("ph_run **")
        given = Texts(options)
        status = lib.ph_run_create(out, self._model, config_of(None, given), self._err)
        if status:
            self._reraise()
            fail(status, self._err, None if options else self._file)
        self._adopt(ffi.gc(out[0], lib.ph_run_close))

