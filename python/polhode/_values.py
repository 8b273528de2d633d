"""Types of values that models and results share."""
from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Number = Union[float, int, np.floating[Any], np.integer[Any]]
Vector = Union[Sequence[float], Array]
