"""Which device work ran on a stream that also runs kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.trace.columns import Category, Trace

__all__ = ["on_computing_streams"]


def on_computing_streams(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """One entry for each row of `work`."""
    place = np.stack([work.device, work.stream], axis=1)
    which = np.unique(place, axis=0, return_inverse=True)[1].reshape(-1)
    computing = np.unique(which[trace.slices.category[work.rows] == Category.KERNEL])
    found: npt.NDArray[np.bool_] = np.isin(which, computing)
    return found
