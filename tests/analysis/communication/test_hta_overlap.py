"""The overlap of communication and computing that HolisticTraceAnalysis finds, from the rows of the file.

It takes rows of NCCL by their name, and what runs beside any other kernel. Here memory that is being set is
computing too, as nothing else is done on that stream meanwhile; there it is of a third kind.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from public_report import PublicReport

WINDOWS = (
    "dlrm_v100_8rank/worker1_step_12.1694128201556.pt.trace.json.gz",
    "dlrm_v100_8rank/worker3_step_12.1694128201557.pt.trace.json.gz",
    "hta_nccl_ddp/nccl_data.json.gz",
)


def active(rows: list[tuple[float, float]], moments: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Whether any of the rows runs from each moment to the next."""
    start, end = (np.sort(column) for column in np.array(rows).T)
    begun, ended = (np.searchsorted(column, moments[:-1], side="right") for column in (start, end))
    return np.greater(begun, ended)


@pytest.mark.parametrize("window", WINDOWS)
def test_the_overlap_is_that_of_hta(window: str, traces: Path, public_report: PublicReport) -> None:
    events = json.loads(gzip.decompress((traces / window).read_bytes()))["traceEvents"]
    work: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for event in events:
        if event.get("cat", "").lower() in ("kernel", "gpu_memset", "memset"):
            begin = float(event["ts"])
            work["nccl" in event["name"].lower()].append((begin, begin + float(event["dur"])))
    moments = np.unique(np.array([*work[True], *work[False]]))
    length, communicates = np.diff(moments), active(work[True], moments)
    found = public_report(traces / window).communication
    assert found is not None
    assert found.overlapped_ns is not None
    assert found.exposed_ns is not None
    beside = length[communicates & active(work[False], moments)].sum()
    assert found.overlapped_ns / 1000 == pytest.approx(beside, abs=0.5)
    assert (found.overlapped_ns + found.exposed_ns) / 1000 == pytest.approx(
        length[communicates].sum(), abs=0.5
    )
