"""Symbols: expressions of numbers, parameters, time and state, and how they are written as Lua."""
from __future__ import annotations

import math
import operator
import threading
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import Error


class TraceError(Error, TypeError):
    """A function of a model does what symbols cannot follow."""


Scalar = Union[float, int, "np.floating[Any]", "np.integer[Any]", "Expr"]
Vector = Union[Sequence[Scalar], npt.NDArray[Any]]
Function = Callable[..., Any]

_BINARY: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
    "%": operator.mod,
    "//": operator.floordiv,
}
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "~=": operator.ne,
}
def cbrt(x: float) -> float:
    """The cube root, which math has from Python 3.11 on."""
    return float(np.cbrt(x))


# Functions by their name in Lua.
_CALLS: dict[str, Callable[..., float]] = {
    "math.sin": math.sin,
    "math.cos": math.cos,
    "math.tan": math.tan,
    "math.asin": math.asin,
    "math.acos": math.acos,
    "math.atan": math.atan2,
    "math.sqrt": math.sqrt,
    "math.exp": math.exp,
    "math.log": math.log,
    "math.log10": math.log10,
    "math.cbrt": cbrt,
    "math.sinh": math.sinh,
    "math.cosh": math.cosh,
    "math.tanh": math.tanh,
    "math.asinh": math.asinh,
    "math.acosh": math.acosh,
    "math.atanh": math.atanh,
    "math.hypot": math.hypot,
    "math.abs": abs,
    "math.floor": lambda x: float(math.floor(x)),
    "math.ceil": lambda x: float(math.ceil(x)),
    "math.max": max,
    "math.min": min,
}


def lift(x: Any) -> Expr:
    if isinstance(x, Expr):
        return x
    if isinstance(x, Late):
        x = float(x)
    if isinstance(x, (bool, np.bool_)) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise TraceError(f"{x!r} is neither a number nor a symbol")
    if not math.isfinite(x):
        raise TraceError(f"a function of the model has the number {x}")
    return Expr("number", (float(x),))


class Late:
    """A number that is not asked for before it is used; then it is a float."""

    def __float__(self) -> float:
        raise NotImplementedError

    def __array__(self, *kind: Any, **keywords: Any) -> npt.NDArray[Any]:
        return np.array(float(self), *kind, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(float(self), name)


def _as_float(name: str) -> Function:
    def method(self: Late, *others: Any) -> Any:
        return getattr(float, name)(float(self), *(float(x) if isinstance(x, Late) else x for x in others))

    return method


for _name in (
    "abs add bool ceil divmod eq floor floordiv format ge gt hash int le lt mod mul ne neg pos pow radd rdivmod repr rfloordiv rmod rmul "
    "round rpow rsub rtruediv sub truediv trunc"
).split():
    setattr(Late, f"__{_name}__", _as_float(f"__{_name}__"))


def _is_array(x: Any) -> bool:
    return isinstance(x, (np.ndarray, list, tuple))


class Expr:
    """An expression of numbers, parameters, the time and the state."""

    __slots__ = ("op", "args", "__weakref__")
    __array_priority__ = 1000

    def __init__(self, op: str, args: tuple[Any, ...]) -> None:
        self.op, self.args = op, args

    def _binary(self, op: str, other: Any, swapped: bool = False) -> Any:
        if _is_array(other):
            flat = np.array(other, dtype=object)
            return np.frompyfunc(lambda x: self._binary(op, x, swapped), 1, 1)(flat)
        a, b = (lift(other), self) if swapped else (self, lift(other))
        if a.op == b.op == "number":
            return Expr("number", (float(_BINARY[op](a.args[0], b.args[0])),))
        return Expr(op, (a, b))

    def __add__(self, other: Any) -> Any:
        return self._binary("+", other)

    def __radd__(self, other: Any) -> Any:
        return self._binary("+", other, True)

    def __sub__(self, other: Any) -> Any:
        return self._binary("-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._binary("-", other, True)

    def __mul__(self, other: Any) -> Any:
        return self._binary("*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary("*", other, True)

    def __truediv__(self, other: Any) -> Any:
        return self._binary("/", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._binary("/", other, True)

    def __pow__(self, other: Any) -> Any:
        return self._binary("^", other)

    def __rpow__(self, other: Any) -> Any:
        return self._binary("^", other, True)

    def __mod__(self, other: Any) -> Any:
        return self._binary("%", other)

    def __rmod__(self, other: Any) -> Any:
        return self._binary("%", other, True)

    def __floordiv__(self, other: Any) -> Any:
        return self._binary("//", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._binary("//", other, True)

    def __neg__(self) -> Expr:
        return Expr("neg", (self,))

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return self._call("math.abs")

    def __lt__(self, other: Any) -> Condition:
        return Condition("<", self, lift(other))

    def __le__(self, other: Any) -> Condition:
        return Condition("<=", self, lift(other))

    def __gt__(self, other: Any) -> Condition:
        return Condition(">", self, lift(other))

    def __ge__(self, other: Any) -> Condition:
        return Condition(">=", self, lift(other))

    def __eq__(self, other: object) -> Any:
        return Condition("==", self, lift(other))

    def __ne__(self, other: object) -> Any:
        return Condition("~=", self, lift(other))

    __hash__ = object.__hash__

    def __float__(self) -> float:
        at = _numbers()
        if at is not None:
            return value(self, at)
        raise TraceError("a symbol is not a number yet: use functions of numpy instead of those of math, and no float()")

    def __int__(self) -> int:
        raise TraceError("a symbol is not a number yet: int() cannot be followed")

    def __index__(self) -> int:
        raise TraceError("a symbol is not a number yet: it cannot be an index or the bound of a loop")

    def __bool__(self) -> bool:
        raise TraceError("a symbol is neither true nor false: compare it with a number")

    def __iter__(self) -> Iterator[Any]:
        raise TraceError("a symbol is one number: it has no parts")

    def _call(self, name: str, *others: Any) -> Expr:
        return Expr(name, (self, *(lift(x) for x in others)))

    # The names by which numpy asks objects for its functions.
    def sin(self) -> Expr:
        return self._call("math.sin")

    def cos(self) -> Expr:
        return self._call("math.cos")

    def tan(self) -> Expr:
        return self._call("math.tan")

    def arcsin(self) -> Expr:
        return self._call("math.asin")

    def arccos(self) -> Expr:
        return self._call("math.acos")

    def arctan(self) -> Expr:
        return self._call("math.atan", 1)

    def arctan2(self, x: Any) -> Expr:
        return self._call("math.atan", x)

    def sqrt(self) -> Expr:
        return self._call("math.sqrt")

    def exp(self) -> Expr:
        return self._call("math.exp")

    def log(self) -> Expr:
        return self._call("math.log")

    def floor(self) -> Expr:
        return self._call("math.floor")

    def ceil(self) -> Expr:
        return self._call("math.ceil")

    def fabs(self) -> Expr:
        return self._call("math.abs")

    def square(self) -> Any:
        return self * self

    def sinh(self) -> Expr:
        return self._call("math.sinh")

    def cosh(self) -> Expr:
        return self._call("math.cosh")

    def tanh(self) -> Expr:
        return self._call("math.tanh")

    def arcsinh(self) -> Expr:
        return self._call("math.asinh")

    def arccosh(self) -> Expr:
        return self._call("math.acosh")

    def arctanh(self) -> Expr:
        return self._call("math.atanh")

    def log10(self) -> Expr:
        return self._call("math.log10")

    def cbrt(self) -> Expr:
        return self._call("math.cbrt")

    def hypot(self, other: Any) -> Expr:
        return self._call("math.hypot", other)

    def maximum(self, other: Any) -> Expr:
        return self._call("math.max", other)

    def minimum(self, other: Any) -> Expr:
        return self._call("math.min", other)

    def sign(self) -> Any:
        return 1.0 if self > 0 else -1.0 if self < 0 else 0.0

    def conjugate(self) -> Expr:
        return self

    def deg2rad(self) -> Any:
        return self * (math.pi / 180)

    def rad2deg(self) -> Any:
        return self * (180 / math.pi)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method != "__call__" or keywords.get("out") is not None:
            return NotImplemented
        return np.frompyfunc(lambda *x: _ufunc(ufunc.__name__, x), len(inputs), 1)(*(_as_object(x) for x in inputs))

    def __repr__(self) -> str:
        return f"<symbol {inline(self)}>"


def _as_object(x: Any) -> Any:
    """Symbols as arrays of no axis, so that numpy does not ask them again."""
    if isinstance(x, Expr):
        box = np.empty((), dtype=object)
        box[()] = x
        return box
    return x


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "true_divide": operator.truediv,
    "power": operator.pow,
    "float_power": operator.pow,
    "remainder": operator.mod,
    "mod": operator.mod,
    "floor_divide": operator.floordiv,
    "negative": operator.neg,
    "positive": operator.pos,
    "absolute": operator.abs,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
_ALIASES = {"fmax": "maximum", "fmin": "minimum", "radians": "deg2rad", "degrees": "rad2deg"}
_SWAPPED = {"maximum", "minimum", "hypot"}


def _ufunc(name: str, x: Sequence[Any]) -> Any:
    """One function of numpy on one set of scalars, among them a symbol."""
    if name in _OPERATORS:
        return _OPERATORS[name](*x)
    name = _ALIASES.get(name, name)
    if not hasattr(Expr, name):
        raise TraceError(f"numpy.{name} cannot be followed by symbols")
    first, *others = x
    if not isinstance(first, Expr) and name in _SWAPPED:
        first, others = others[0], [first]
    return getattr(lift(first), name)(*others)


class Condition:
    """A comparison: true or false once it is asked, and each in turn."""

    __slots__ = ("op", "a", "b")

    def __init__(self, op: str, a: Expr, b: Expr) -> None:
        self.op, self.a, self.b = op, a, b

    def __bool__(self) -> bool:
        if self.a.op == self.b.op == "number":
            return _COMPARE[self.op](self.a.args[0], self.b.args[0])
        return _tracer().decide(self)

    def __and__(self, other: Any) -> bool:
        return bool(self) and bool(other)

    def __or__(self, other: Any) -> bool:
        return bool(self) or bool(other)

    def __invert__(self) -> bool:
        return not bool(self)

    def text(self) -> str:
        """As Lua writes it."""
        return f"{inline(self.a)} {self.op} {inline(self.b)}"

    def holds(self, at: Mapping[str, float]) -> bool:
        """Whether it is true where symbols have these values."""
        return _COMPARE[self.op](value(self.a, at), value(self.b, at))


# ---- numbers and text ---------------------------------------------------------------------------------------


def order(roots: Sequence[Expr]) -> list[Expr]:
    """All nodes below, arguments first; without recursion, so that long sums do not matter."""
    done: dict[int, Expr] = {}
    for root in roots:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in done:
                continue
            if ready:
                done[id(node)] = node
                continue
            stack.append((node, True))
            stack += [(a, False) for a in node.args if isinstance(a, Expr)]
    return list(done.values())


def value(root: Expr, at: Mapping[str, float]) -> float:
    """The number of an expression, where leaves have these."""
    known: dict[int, float] = {}
    for node in order([root]):
        x = [known[id(a)] for a in node.args if isinstance(a, Expr)]
        if node.op == "number":
            y = node.args[0]
        elif node.op == "leaf":
            y = at[node.args[0]]
        elif node.op == "neg":
            y = -x[0]
        else:
            y = _BINARY[node.op](*x) if node.op in _BINARY else _CALLS[node.op](*x)
        known[id(node)] = float(y)
    return known[id(root)]


def key_text(name: str) -> str:
    """`.name`, or `["na.me"]`."""
    return f".{name}" if name.isidentifier() and name.isascii() and name not in LUA_WORDS else f"[{quoted(name)}]"


def quoted(text: str) -> str:
    """A string as Lua writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0")
    return f'"{escaped}"'


LUA_WORDS = frozenset(
    "and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split()
)


def number_text(x: float) -> str:
    """A number as Lua reads it, to the bit; always a float."""
    text = repr(float(x))
    return text if x >= 0 and not text.startswith("-") else f"({text})"


def _text(node: Expr, parts: Sequence[str]) -> str:
    if node.op == "number":
        return number_text(node.args[0])
    if node.op == "leaf":
        return str(node.args[0])
    if node.op == "neg":
        return f"(-{parts[0]})"
    if node.op in _BINARY:
        return f"({parts[0]} {node.op} {parts[1]})"
    return f"{node.op}({', '.join(parts)})"


_LONG = 160  # characters after which an expression gets a name
_LOCALS = 120  # names beyond which they are in a table: Lua has 200 locals


def named(roots: Sequence[Expr]) -> tuple[list[str], list[str]]:
    """Texts of expressions, and lines before them that name what is used more than once."""
    found = order(roots)
    # equal expressions are one: a node is known by its operation and those of its arguments
    same: dict[tuple[Any, ...], int] = {}
    number: dict[int, int] = {}
    nodes: list[Expr] = []
    for node in found:
        key = (node.op, *(number[id(a)] if isinstance(a, Expr) else a for a in node.args))
        if key not in same:
            same[key] = len(nodes)
            nodes.append(node)
        number[id(node)] = same[key]
    uses = [0] * len(nodes)
    for node in nodes:
        for a in node.args:
            if isinstance(a, Expr):
                uses[number[id(a)]] += 1
    for root in roots:
        uses[number[id(root)]] += 1
    names = sum(1 for k, node in enumerate(nodes) if node.op not in ("number", "leaf"))
    name = "v[{}]" if names > _LOCALS else "v{}"
    texts: list[str] = []
    lines: list[str] = []
    for k, node in enumerate(nodes):
        text = _text(node, [texts[number[id(a)]] for a in node.args if isinstance(a, Expr)])
        if node.op not in ("number", "leaf") and (uses[k] > 1 or len(text) > _LONG):
            lines.append(text)
            text = name.format(len(lines))
        texts.append(text)
    if names > _LOCALS:
        named = ["local v = {}", *(f"v[{k + 1}] = {line}" for k, line in enumerate(lines))]
    else:
        named = [f"local v{k + 1} = {line}" for k, line in enumerate(lines)]
    return named, [texts[number[id(r)]] for r in roots]


def inline(root: Expr) -> str:
    """One expression as Lua writes it."""
    texts: dict[int, str] = {}
    for node in order([root]):
        texts[id(node)] = _text(node, [texts[id(a)] for a in node.args if isinstance(a, Expr)])
    return texts[id(root)]


# ---- decisions ------------------------------------------------------------------------------------------------

_DEEP = 256  # comparisons on a way


class Tracer:
    """One call of a function: which way its comparisons take."""

    def __init__(self, way: Sequence[bool] = (), at: Mapping[str, float] | None = None) -> None:
        self._way, self.at = list(way), at
        self.met: list[tuple[Condition, bool]] = []
        self._known: dict[str, bool] = {}

    def decide(self, condition: Condition) -> bool:
        """As told; where nothing is told, true. With values: what they say."""
        if self.at is not None:
            return condition.holds(self.at)
        text = condition.text()
        if text not in self._known:
            if len(self.met) == _DEEP:
                raise TraceError(f"a function of the model makes more than {_DEEP} comparisons, one after the other")
            taken = self._way[len(self.met)] if len(self.met) < len(self._way) else True
            self._known[text] = taken
            self.met.append((condition, taken))
        return self._known[text]

    def __enter__(self) -> Tracer:
        _tracers().append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _tracers().pop()


_local = threading.local()


def _tracers() -> list[Tracer]:
    if not hasattr(_local, "stack"):
        _local.stack = []
    stack: list[Tracer] = _local.stack
    return stack


def _numbers() -> Mapping[str, float] | None:
    """The values of symbols in a call with numbers; None: they have none."""
    stack = _tracers()
    return stack[-1].at if stack else None


def _tracer() -> Tracer:
    if not _tracers():
        raise TraceError("a symbol is compared outside of a function: its value is not known while the model is written")
    return _tracers()[-1]
