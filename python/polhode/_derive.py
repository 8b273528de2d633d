"""Derivatives of expressions, and expressions as Python code.

(D1)  d f(a, b) = f_a da + f_b db, node by node along the graph, with da = 0 left out.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Mapping, Sequence

from ._symbols import Condition, Expr, cbrt, lift, order

Zero = None  # a derivative that vanishes
Tangent = Mapping[str, Any]  # derivatives of leaves: expressions or numbers; those that are not there vanish


def _number(x: Any) -> float | None:
    return float(x.args[0]) if isinstance(x, Expr) and x.op == "number" else float(x) if not isinstance(x, Expr) else None


def times(a: Any, b: Any) -> Any:
    """a b, without ones and zeros."""
    if a is Zero or b is Zero:
        return Zero
    for x, y in ((a, b), (b, a)):
        n = _number(x)
        if n == 0:
            return Zero
        if n == 1:
            return y
    return lift(a) * b


def plus(a: Any, b: Any) -> Any:
    """a + b, without zeros."""
    return b if a is Zero else a if b is Zero else lift(a) + b


def _minus(a: Any) -> Any:
    return Zero if a is Zero else -lift(a)


def _power(a: Expr, b: Expr, y: Expr, da: Any, db: Any) -> Any:
    n = _number(b)
    by_a = times(times(b, a ** (n - 1) if n is not None else a ** (b - 1)), da)
    return plus(by_a, times(times(y, a.log()), db) if db is not Zero else Zero)


# (D1) of each operation: arguments, value, derivatives of arguments.
_RULES: dict[str, Callable[..., Any]] = {
    "+": lambda a, b, y, da, db: plus(da, db),
    "-": lambda a, b, y, da, db: plus(da, _minus(db)),
    "*": lambda a, b, y, da, db: plus(times(b, da), times(a, db)),
    "/": lambda a, b, y, da, db: plus(times(1 / lift(b), da), _minus(times(y / b, db))),
    "^": _power,
    "%": lambda a, b, y, da, db: plus(da, _minus(times(Expr("//", (a, b)), db))),
    "//": lambda a, b, y, da, db: Zero,
    "neg": lambda a, y, da: _minus(da),
    "math.sin": lambda a, y, da: times(a.cos(), da),
    "math.cos": lambda a, y, da: _minus(times(a.sin(), da)),
    "math.tan": lambda a, y, da: times(1 + y * y, da),
    "math.asin": lambda a, y, da: times(1 / (1 - a * a).sqrt(), da),
    "math.acos": lambda a, y, da: _minus(times(1 / (1 - a * a).sqrt(), da)),
    "math.atan": lambda a, b, y, da, db: plus(times(b / (a * a + b * b), da), _minus(times(a / (a * a + b * b), db))),
    "math.sqrt": lambda a, y, da: times(0.5 / y, da),
    "math.exp": lambda a, y, da: times(y, da),
    "math.log": lambda a, y, da: times(1 / a, da),
    "math.log10": lambda a, y, da: times(1 / (math.log(10) * a), da),
    "math.cbrt": lambda a, y, da: times(1 / (3 * y * y), da),
    "math.sinh": lambda a, y, da: times(a.cosh(), da),
    "math.cosh": lambda a, y, da: times(a.sinh(), da),
    "math.tanh": lambda a, y, da: times((1 - y) * (1 + y), da),
    "math.asinh": lambda a, y, da: times(1 / (1 + a * a).sqrt(), da),
    "math.acosh": lambda a, y, da: times(1 / ((a - 1) * (a + 1)).sqrt(), da),
    "math.atanh": lambda a, y, da: times(1 / ((1 - a) * (1 + a)), da),
    "math.hypot": lambda a, b, y, da, db: plus(times(a / y, da), times(b / y, db)),
    "math.abs": lambda a, y, da: times(Expr("sign", (a,)), da),
    "math.floor": lambda a, y, da: Zero,
    "math.ceil": lambda a, y, da: Zero,
    "math.max": lambda a, b, y, da, db: _either(Expr(">=", (a, b)), da, db),
    "math.min": lambda a, b, y, da, db: _either(Expr("<=", (a, b)), da, db),
    "sign": lambda a, y, da: Zero,
    ">=": lambda a, b, y, da, db: Zero,
    "<=": lambda a, b, y, da, db: Zero,
}


def _either(first: Expr, da: Any, db: Any) -> Any:
    """The derivative of the one that counts; first is 1 or 0."""
    return plus(times(first, da), times(1 - first, db))


def derivatives(roots: Sequence[Expr], tangents: Sequence[Tangent]) -> list[list[Any]]:
    """[root][k]: the derivative of each root along each tangent; None where it vanishes."""
    all_nodes = order(roots)
    columns = []
    for tangent in tangents:
        known: dict[int, Any] = {}
        for node in all_nodes:
            x = [a for a in node.args if isinstance(a, Expr)]
            d = [known[id(a)] for a in x]
            if node.op == "leaf":
                known[id(node)] = tangent.get(node.args[0])
            elif not x or all(y is Zero for y in d):
                known[id(node)] = Zero
            else:
                known[id(node)] = _RULES[node.op](*x, node, *d)
        columns.append([known[id(r)] for r in roots])
    return [list(row) for row in zip(*columns)] if columns else [[] for _ in roots]


# ---- as code ----------------------------------------------------------------------------------------------------

_CODE = {
    "+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "/": "({} / {})", "^": "pow({}, {})", "%": "({} % {})", "//": "({} // {})",
    "neg": "(-{})", "sign": "(({0} > 0) - ({0} < 0))", ">=": "({} >= {})", "<=": "({} <= {})",
    "math.sin": "sin({})", "math.cos": "cos({})", "math.tan": "tan({})", "math.asin": "asin({})", "math.acos": "acos({})",
    "math.atan": "atan2({}, {})", "math.sqrt": "sqrt({})", "math.exp": "exp({})", "math.log": "log({})", "math.abs": "abs({})",
    "math.floor": "floor({})", "math.ceil": "ceil({})", "math.max": "max({}, {})", "math.min": "min({}, {})",
    "math.sinh": "sinh({})", "math.cosh": "cosh({})", "math.tanh": "tanh({})", "math.asinh": "asinh({})", "math.acosh": "acosh({})",
    "math.atanh": "atanh({})", "math.hypot": "hypot({}, {})", "math.log10": "log10({})", "math.cbrt": "cbrt({})",
}  # fmt: skip
_NAMES = {
    k: getattr(math, k)
    for k in "sin cos tan asin acos atan2 sqrt exp log floor ceil pow sinh cosh tanh asinh acosh atanh hypot log10".split()
} | {"cbrt": cbrt}


def leaves_of(roots: Sequence[Any]) -> set[str]:
    """Names of the leaves that expressions depend on."""
    return {str(node.args[0]) for node in order([r for r in roots if isinstance(r, Expr)]) if node.op == "leaf"}


def _lines(roots: Sequence[Any]) -> tuple[list[str], list[str]]:
    """Statements, and the texts of the roots; equal expressions are computed once."""
    exprs = [lift(0.0 if r is Zero else r) for r in roots]
    text: dict[int, str] = {}
    same: dict[str, str] = {}
    lines: list[str] = []
    for node in order(exprs):
        parts = [text[id(a)] for a in node.args if isinstance(a, Expr)]
        if node.op == "number":
            text[id(node)] = f"({node.args[0]!r})"
        elif node.op == "leaf":
            text[id(node)] = str(node.args[0])
        else:
            code = _CODE[node.op].format(*parts)
            if code not in same:
                same[code] = f"x{len(same)}"
                lines.append(f"{same[code]} = {code}")
            text[id(node)] = same[code]
    return lines, [text[id(e)] for e in exprs]


def _inline(root: Expr) -> str:
    """One expression without statements."""
    text: dict[int, str] = {}
    for node in order([root]):
        parts = [text[id(a)] for a in node.args if isinstance(a, Expr)]
        text[id(node)] = f"({node.args[0]!r})" if node.op == "number" else str(node.args[0]) if node.op == "leaf" else _CODE[node.op].format(*parts)
    return text[id(root)]


def _condition(c: Condition) -> str:
    return f"{_inline(c.a)} {'!=' if c.op == '~=' else c.op} {_inline(c.b)}"


def _block(tree: Any, indent: str) -> list[str]:
    if isinstance(tree, tuple):
        condition, yes, no = tree
        return [f"{indent}if {_condition(condition)}:", *_block(yes, indent + " "), f"{indent}else:", *_block(no, indent + " ")]
    lines, texts = _lines(tree)
    return [*(indent + line for line in lines), f"{indent}return [{', '.join(texts)}]"]


def function_of(tree: Any, arguments: str) -> Callable[..., list[float]]:
    """A tree of ways, or a list of expressions, as a function of Python that gives numbers."""
    code = "\n".join([f"def f({arguments}):", *_block(tree, " ")])
    scope: dict[str, Any] = dict(_NAMES)
    exec(compile(code, "<traced>", "exec"), scope)  # the text is made here, of operations and numbers alone
    made: Callable[..., list[float]] = scope["f"]
    return made
