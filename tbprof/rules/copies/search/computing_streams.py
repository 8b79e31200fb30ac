"""Which device work ran on a stream that also runs kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device.device_work import DeviceWork
from tbprof.trace.columns.arrays import distinct, is_among


def on_computing_streams(work: DeviceWork) -> npt.NDArray[np.bool_]:
    """One entry for each row of `work`."""
    computing = distinct(work.place[work.is_kernel])
    found: npt.NDArray[np.bool_] = is_among(work.place, computing)
    return found
