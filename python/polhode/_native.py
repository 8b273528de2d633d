"""The shared library: where it is, what it declares, and its errors as exceptions."""
from __future__ import annotations

import importlib.util
import os
import re
import sys
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any, Iterable, NoReturn

from ._errors import Error, ModelError, NumericalFailure, Stopped, UnknownName, UsageError

HERE = Path(__file__).parent


def _candidates() -> Iterable[Path]:
    """Where the library may be: as told; in a wheel; below the prefix; in the build tree that a checkout has."""
    told = os.environ.get("POLHODE_LIBRARY")
    if told:
        yield Path(told)
        return
    name = "libpolhode.dylib" if sys.platform == "darwin" else "libpolhode.so"
    yield HERE / name
    yield HERE / "lib" / name
    for prefix in HERE.resolve().parents[:5]:
        yield prefix / name
        yield prefix / "lib" / name
        yield from prefix.glob(f"lib/*/{name}")
    for root in HERE.parents[1:3]:
        yield root / name
        yield root / "build" / "release" / name


def _find_library() -> Path:
    for path in _candidates():
        if path.is_file():
            return path
    told = os.environ.get("POLHODE_LIBRARY")
    if told:
        raise ImportError(f"POLHODE_LIBRARY names '{told}', where there is no file")
    raise ImportError("libpolhode was not found: set POLHODE_LIBRARY to the path of libpolhode.so")


def generated(name: str, library: Path) -> ModuleType:
    """A module that the build writes: beside this file, or beside the library in a build tree."""
    full = f"{__package__}.{name}"
    if full in sys.modules:
        return sys.modules[full]
    for folder in (HERE, library.resolve().parent / "python" / "polhode"):
        path = folder / f"{name}.py"
        if path.is_file():
            spec = importlib.util.spec_from_file_location(full, path)
            if spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                sys.modules[full] = module
                spec.loader.exec_module(module)
                return module
    raise ImportError(f"{name}.py was not found: build the target 'python' of Polhode first")


LIBRARY = _find_library()
ffi: Any = generated("_declarations", LIBRARY).ffi
generated("_elements", LIBRARY)
lib: Any = ffi.dlopen(str(LIBRARY))
if lib.ph_processor_lacks() != ffi.NULL:
    raise ImportError(f"this processor lacks '{ffi.string(lib.ph_processor_lacks()).decode()}', which {LIBRARY} was built for: "
                      "build it here, or with -DPH_PORTABLE=ON")

VERSION: str = ffi.string(lib.ph_version()).decode()

# Kinds of things by the lists of run.h.
KINDS = {
    lib.PH_BODIES: "body",
    lib.PH_JOINTS: "joint",
    lib.PH_SENSORS: "sensor",
    lib.PH_PARAMETERS: "parameter",
    lib.PH_OBJECTIVES: "objective",
    lib.PH_INPUTS: "input",
    lib.PH_STATES: "state",
    lib.PH_ACTUATORS: "actuator",
    lib.PH_EVENTS: "event",
    lib.PH_FLEXIBLE: "flexible body",
    lib.PH_NODES: "node",
    lib.PH_CONSTRAINTS: "constraint",
}


def text(chars: Any) -> str:
    """A string of C; "" for NULL."""
    return str(ffi.string(chars).decode("utf-8", "replace")) if chars else ""


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """The exception for a name that is not there, with the nearest that is."""
    names = list(known)
    near = get_close_matches(str(name), names, 1, 0.5)
    if near:
        return UnknownName(f"there is no {kind} '{name}'; did you mean '{near[0]}'?")
    if not names:
        return UnknownName(f"there is no {kind} '{name}'; there is none at all")
    shown = ", ".join(f"'{n}'" for n in names[:8]) + (", ..." if len(names) > 8 else "")
    return UnknownName(f"there is no {kind} '{name}'; there {'is' if len(names) == 1 else 'are:'} {shown}")


_PLACE = re.compile(r"(?s)(?:t = \S+: )?(.+?):(\d+): (.*)")


def model_error(words: str, file: str | None = None) -> ModelError:
    """`FILE:LINE: sentence`, taken apart."""
    place = _PLACE.fullmatch(words)
    if place:
        return ModelError(words, place.group(1), int(place.group(2)), place.group(3))
    return ModelError(words, file, None, words)


_NUMERICAL = (lib.PH_E_SINGULAR, lib.PH_E_NEWTON, lib.PH_E_STEP, lib.PH_E_NAN)


def fail(status: int, err: Any, reading: str | None = None, trouble: Any = None, name_of: Any = None) -> NoReturn:
    """Raise what a status means. reading: the file under way; trouble: what a failed step has left."""
    words = text(err.text) or text(lib.ph_status_text(status))
    if status == lib.PH_E_MEMORY:
        raise MemoryError(words)
    if status == lib.PH_E_STOPPED:
        raise Stopped(words)
    if status in _NUMERICAL and reading is None:
        raise numerical(status, words, trouble, name_of)
    if reading is not None or (status == lib.PH_E_CALLBACK and _PLACE.fullmatch(words)):
        raise model_error(words, reading)
    if status == lib.PH_E_INCONSISTENT:
        raise model_error(words)
    if status == lib.PH_E_CALLBACK:
        raise numerical(status, words, trouble, name_of)
    if status == lib.PH_E_INPUT:
        raise UsageError(words)
    raise Error(words)


def numerical(status: int, words: str, trouble: Any, name_of: Any) -> NumericalFailure:
    """With the bodies and joints whose rows dominate."""
    culprits = []
    t = h = float("nan")
    if trouble is not None and trouble.status == status:
        t, h = trouble.t, trouble.h
        for k in range(trouble.n_culprits):
            c = trouble.culprit[k]
            culprits.append((KINDS.get(c.list, "row"), name_of(c.list, c.index) if name_of else str(c.index), c.residual))
    return NumericalFailure(words, text(lib.ph_status_word(status)), t, h, culprits)
