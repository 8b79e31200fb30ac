"""Numbers of Python to arrays: words packed by one call take less than half of the time of `np.fromiter`."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

_Number = TypeVar("_Number", np.float64, np.int64, np.int32, np.int8)


def packed(values: Sequence[object], dtype: type[_Number]) -> npt.NDArray[_Number]:
    """An array of `values`, one element each.

    Raises:
        ValueError: One of them is no number, or none that this type holds.
    """
    array = np.empty(len(values), dtype)
    try:
        struct.pack_into(f"{len(values)}{array.dtype.char}", array.data, 0, *values)
    except (struct.error, OverflowError) as error:
        raise ValueError(str(error)) from error
    return array
