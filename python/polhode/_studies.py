"""Studies: the program's, whose loops run in C and in several processes, as tables of numbers with a picture."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._elements import OPTIONS
from ._errors import UsageError
from ._native import unknown
from ._program import AnyModel, run_program
from ._settings import Option, number, option_text
from ._values import Number

if TYPE_CHECKING:
    import pandas

Values = Union[Option, Number, Sequence[Any], npt.NDArray[Any]]


# ---- tables -------------------------------------------------------------------------------------------------


def _flat(row: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    """{"error": {"q": 1}} -> {"error.q": 1}; lists are counted from 1."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        name = f"{head}.{key}" if head else key
        if isinstance(value, list):
            value = {str(k + 1): x for k, x in enumerate(value)}
        out.update(_flat(value, name) if isinstance(value, dict) else {name: value})
    return out


def _column(values: list[Any]) -> npt.NDArray[Any]:
    if any(isinstance(v, str) for v in values):
        return np.array(["" if v is None else str(v) for v in values])
    if all(isinstance(v, int) for v in values):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if v is None else float(v) for v in values])


class Table:
    """Rows of a study: a structured array, with names of columns as in the program's JSON, `"error.q"`."""

    def __init__(self, rows: npt.NDArray[Any], info: Mapping[str, Any], axes: tuple[str, Sequence[str], str, bool]) -> None:
        self.rows = rows  #: structured array
        self.info = dict(info)  #: all else that the program tells
        self._axes = axes

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.rows.dtype.names or ())

    def __getitem__(self, column: str) -> npt.NDArray[Any]:
        if column not in self.columns:
            raise unknown("column", column, self.columns)
        return np.asarray(self.rows[column])

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        title = self.info.get("study") or self.info.get("model") or "study"
        return f"<table of '{title}': {len(self)} rows of {', '.join(self.columns)}>"

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a DataFrame."""
        import pandas

        return pandas.DataFrame({c: self[c] for c in self.columns})

    def _repr_html_(self) -> str:
        cell = "<td>{}</td>".format
        head = "".join(f"<th>{c}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(cell(f"{x:.6g}" if isinstance(x, float) else x) for x in row) + "</tr>" for row in self.rows.tolist())
        return f"<table><tr>{head}</tr>{body}</table>"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.rows, self.info, self._axes)

    def plot(self, y: str | Iterable[str] | None = None, x: str | None = None, ax: Any = None) -> Any:
        """Draw columns over another, with matplotlib, a curve for each variant; returns the axes."""
        from matplotlib import pyplot

        over, default, by, logarithmic = self._axes
        over = x or over
        shown = [y] if isinstance(y, str) else list(y) if y is not None else [c for c in default if c in self.columns]
        if ax is None:
            ax = pyplot.figure().add_subplot()
        groups = np.unique(self[by]) if by in self.columns else [None]
        for group in groups:
            rows = slice(None) if group is None else self[by] == group
            for column in shown:
                label = column if group is None else f"{group}: {column}"
                ax.plot(self[over][rows], self[column][rows], "o-", markersize=3, label=label)
        if logarithmic:
            ax.set_xscale("log"), ax.set_yscale("log")
        ax.set_xlabel(over)
        ax.set_title(str(self.info.get("study") or self.info.get("model") or ""))
        ax.legend()
        return ax


def _table(answer: dict[str, Any], x: str, y: Sequence[str], by: str = "", logarithmic: bool = False, cls: type[Table] = Table) -> Any:
    variants = [v["rows"] for v in answer.get("variants", []) if "rows" in v]  # the first one's are those of the answer too
    rows = [_flat(r) for r in (sum(variants, []) or answer.get("rows", []))]
    names = list(dict.fromkeys(name for r in rows for name in r))
    columns = [_column([r.get(name) for r in rows]) for name in names]
    array = np.empty(len(rows), dtype=[(n, c.dtype) for n, c in zip(names, columns)])
    for name, column in zip(names, columns):
        array[name] = column
    wanted = [name for name in names if any(name == k or name.startswith(k + ".") for k in y)]
    return cls(array, {k: v for k, v in answer.items() if k != "rows"}, (x, wanted, by, logarithmic))


# ---- arguments ----------------------------------------------------------------------------------------------


def _is_list(value: Any) -> bool:
    return not isinstance(value, str) and isinstance(value, (Sequence, np.ndarray))


def _text(key: str, value: Any) -> str:
    return option_text(key, value).split("=", 1)[1]


def _listed(key: str, value: Values) -> str:
    items: Any = value if _is_list(value) else [value]
    return ",".join(_text(key, v) for v in items)


def _arguments(options: Mapping[str, Any], parameters: Mapping[str, Number] | None = None) -> list[str]:
    """Options of the program: `t_end=1` is --t-end 1, `True` a flag."""
    out: list[str] = []
    for name, value in (parameters or {}).items():
        out += ["--set", f"{name}={number(name, value)!r}"]
    for key, value in options.items():
        option = "--" + key.rstrip("_").replace("_", "-")
        if value is True:
            out.append(option)
        elif value is not None and value is not False:
            out += [option, _listed(key, value)]
    return out


# ---- studies ------------------------------------------------------------------------------------------------


def converge(model: AnyModel, h: Sequence[float], *, parameters: Mapping[str, Number] | None = None, **options: Values) -> Table:
    """Errors over step sizes and observed orders: columns variant, h, error.q, order.q, and so on.

    options: those of `polhode converge`; method, formulation, sigma, rho, order, ... take lists, which combine; compiled=True
    compiles each step size.

    >>> import polhode as ph
    >>> t = ph.converge("models/heavy_top.lua", h=[4e-3, 2e-3, 1e-3], t_end=0.1)
    >>> t["order.q"].round(1).tolist()[1:]
    [2.1, 2.0]
    """
    answer = run_program("converge", model, _arguments({"h": h, **options}, parameters))
    return _orders(_table(answer, "h", ["error"], "variant", True))


def _orders(table: Table) -> Table:
    """A picture of errors is enough of q, v and lambda."""
    over, shown, by, logarithmic = table._axes
    table._axes = (over, [c for c in shown if c in ("error.q", "error.v", "error.lambda")], by, logarithmic)
    return table


def work(model: AnyModel, h: Sequence[float], *, parameters: Mapping[str, Number] | None = None, **options: Values) -> Table:
    """Errors over the time that they cost: columns variant, h, cpu_s, error.q, and so on."""
    answer = run_program("work", model, _arguments({"h": h, **options}, parameters))
    table: Table = _table(answer, "cpu_s", ["error.q"], "variant", True)
    return table


def sweep(
    model: AnyModel,
    values: Mapping[str, Any] | None = None,
    /,
    *,
    jobs: int | None = None,
    file: str | os.PathLike[str] | None = None,
    sensor: Sequence[str] | str | None = None,
    sample: int | None = None,
    seed: int | None = None,
    compiled: bool = False,
    gpu: bool = False,
    **more: Any,
) -> Table:
    """Run a model for many values: all combinations of those that are lists; sample: so many of a Latin hypercube instead.

    values and keywords are parameters of the model and numbers of run{}. file: the table as CSV; where a sweep is
    interrupted, the same call goes on from what is there. compiled: steps by one compiled model, several cases at once; gpu: all
    cases together on a device. Where there is none, a CompileWarning says why, and the sweep goes on without.

    >>> import polhode as ph
    >>> t = ph.sweep("models/heavy_top.lua", m=[14, 15, 16], t_end=0.1)
    >>> t["m"].tolist(), t["status"].tolist()
    ([14, 15, 16], ['ok', 'ok', 'ok'])
    """
    arguments = _arguments({"jobs": jobs, "sensor": sensor, "sample": sample, "seed": seed, "compiled": compiled, "gpu": gpu})
    if file is not None:
        arguments += ["-o", os.fspath(file)]
    varied = []
    for name, value in {**(values or {}), **more}.items():
        if _is_list(value):
            varied.append(name)
            arguments += ["--vary", f"{name}={_listed(name, value)}"]
        elif name in OPTIONS:
            arguments += _arguments({name: value})
        else:
            arguments += _arguments({}, {name: value})
    if not varied:
        raise UsageError("a sweep needs values that vary: give a list for a parameter")
    table: Table = _table(run_program("sweep", model, [*arguments, "--quiet"]), varied[0], [])
    known = {"case", "id", "status", "t", "drift", "steps", "iterations", "reason", "wall_s", *varied}
    over, _, by, logarithmic = table._axes
    sensors = [c for c in table.columns if c not in known and not c.startswith("violation") and table[c].dtype.kind == "f"]
    table._axes = (over, sensors, by, logarithmic)
    return table


def transient(model: AnyModel, steps: int = 50, *, parameters: Mapping[str, Number] | None = None, **options: Values) -> Table:
    """Errors of multipliers in the first steps, for both starting values, beside theory."""
    answer = run_program("transient", model, _arguments({"steps": steps, **options}, parameters))
    table: Table = _table(answer, "t", ["plain", "perturbed", "predicted"])
    return table


def stability(
    model: AnyModel | None = None, kind: str = "ball", *, parameters: Mapping[str, Number] | None = None, **options: Values
) -> Table:
    """How far steps are stable: kind "ball" on a torsional spring, "oscillator", or "spin" of a model.

    >>> import polhode as ph
    >>> t = ph.stability(kind="oscillator", rho=[0.5], ht=[0.1, 1])
    >>> bool((t["radius"] < 1).all())
    True
    """
    axes = {"ball": ("z", "growth"), "oscillator": ("h/T", "radius"), "spin": ("hw", "radius")}
    if kind not in axes:
        raise unknown("kind of stability", kind, axes)
    flags = {"oscillator": kind == "oscillator", "about_spin": kind == "spin"}
    answer = run_program("stability", model, _arguments({**flags, **options}, parameters))
    table: Table = _table(answer, axes[kind][0], [axes[kind][1]], "rho" if kind == "oscillator" else "method")
    return table


def campbell(model: AnyModel, n: int = 10, *, parameters: Mapping[str, Number] | None = None, about: str | None = None, **vary: Sequence[float]) -> Table:
    """Frequencies and damping of modes over a parameter, given as a list: a Campbell diagram, whose branches are followed by shape."""
    if len(vary) != 1:
        raise UsageError("a Campbell diagram needs one parameter with a list of values")
    ((name, values),) = vary.items()
    answer = run_program("modes", model, ["-n", str(n), "--vary", f"{name}={_listed(name, values)}", *_arguments({"about": about}, parameters)])
    table: Table = _table(answer, name, ["frequency"], "branch")
    return table


class Optimum(Table):
    """The evaluations of a search, and what it came to."""

    @property
    def x(self) -> dict[str, float]:
        """Parameters of the least value."""
        return {k: float(v) for k, v in self.info["optimum"].items()}

    @property
    def value(self) -> float:
        """The least value."""
        return float(self.info["value"])

    @property
    def reason(self) -> str:
        """Why the search ended."""
        return str(self.info["reason"])


def optimise(
    model: AnyModel,
    objective: str,
    bounds: Mapping[str, tuple[float, float]],
    *,
    parameters: Mapping[str, Number] | None = None,
    compiled: bool = False,
    **options: Values,
) -> Optimum:
    """Parameters between bounds that make an objective of the model least, by adjoint gradients. compiled: the way forwards is made by the
    compiled model; where there is none, a CompileWarning says why.

    >>> import polhode as ph
    >>> best = ph.optimise("models/absorber.lua", "vibration", {"k": (100, 1000), "d": (1, 50)}, evaluations=10)
    >>> best.value < best["vibration"][0]
    True
    """
    limits = ",".join(f"{k}={number(k, a)!r}:{number(k, b)!r}" for k, (a, b) in bounds.items())
    arguments = ["--minimise", objective, "--vary", ",".join(bounds), "--bounds", limits]
    answer = run_program("optimise", model, [*arguments, *_arguments({"compiled": compiled, **options}, parameters)])
    best: Optimum = _table(answer, "evaluation", [objective], cls=Optimum)
    return best

