"""Exceptions: what went wrong, in the words of the model."""
from __future__ import annotations

import functools
import inspect
from difflib import get_close_matches
from typing import Any, Callable, Sequence, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., None])


class Error(Exception):
    """All errors of this package, but for MemoryError, TypeError and KeyboardInterrupt."""


class ModelError(Error, ValueError):
    """A model file that makes no sense.

    >>> import polhode as ph
    >>> try:
    ...     ph.Model('model "x"\\nbody{ name = "a", mas = 1 }').run(h=1e-3)
    ... except ph.ModelError as e:
    ...     print(e.line, e.sentence)
    2 body 'a': no key 'mas' in a body; did you mean 'mass'?
    """

    def __init__(self, words: str, file: str | None, line: int | None, sentence: str) -> None:
        super().__init__(words)
        self.file, self.line, self.sentence = file, line, sentence

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.file, self.line, self.sentence)


class UsageError(Error, ValueError):
    """An argument or option that makes no sense; nothing was changed."""


class UnknownName(Error, KeyError):
    """A name that is not there; the sentence suggests the nearest."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class NumericalFailure(Error, ArithmeticError):
    """A step or a search that failed; the state is as before.

    culprits: (kind, name, residual) of the bodies and joints whose rows dominate, worst first.
    status: the word that JSON output uses, "newton_failed" and so on; t, h: of the step that failed [s].
    """

    def __init__(self, words: str, status: str, t: float, h: float, culprits: Sequence[tuple[str, str, float]]) -> None:
        super().__init__(words)
        self.status, self.t, self.h, self.culprits = status, t, h, list(culprits)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.status, self.t, self.h, self.culprits)


class Stopped(Error):
    """The run was asked to stop; it stays at the last step."""


class ResultWarning(UserWarning):
    """A result is doubtful although no step failed.

    what: the kind in one word, "energy" for instance; t: when it was first met [s], nan if it belongs to no time.
    """

    def __init__(self, words: str, what: str = "", t: float = float("nan")) -> None:
        super().__init__(words)
        self.what, self.t = what, t

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.what, self.t)


class CompileWarning(UserWarning):
    """A model cannot be compiled, or there is no compiler or device: the run or study goes on without."""


def checked_keys(method: Method) -> Method:
    """A method of an element, with a sentence for a key that it does not have.

    >>> import polhode as ph
    >>> try:
    ...     ph.Model("x").body(mas=1)
    ... except TypeError as e:
    ...     print(e)
    body has no key 'mas'; did you mean 'mass'?
    """
    names = [name for name in inspect.signature(method).parameters if name != "self"]

    @functools.wraps(method)
    def checked(*arguments: Any, **keys: Any) -> None:
        for key in keys:
            if key not in names:
                near = get_close_matches(key, names, 1, 0.5)
                advice = f"did you mean '{near[0]}'?" if near else "there are: " + ", ".join(names)
                raise TypeError(f"{method.__name__} has no key '{key}'; {advice}")
        method(*arguments, **keys)

    return cast(Method, checked)
