"""How the files of a window end, and which rank a worker names."""

from __future__ import annotations

import pytest

from tbprof.file_names import RAW_SUFFIX, REPORT_SUFFIX, rank_of
from tbprof.trace_files import TRACE_SUFFIXES


def test_what_is_published_is_looked_at() -> None:
    assert RAW_SUFFIX.endswith(TRACE_SUFFIXES)
    assert not REPORT_SUFFIX.endswith(TRACE_SUFFIXES)


@pytest.mark.parametrize(
    ("worker", "rank"),
    [
        ("node1_77_rank3", 3),
        ("node1_77_rank12", 12),
        ("rank0_trace", 0),
        ("trace-RANK-7", 7),
        ("rank_5", 5),
        ("node1_77", None),
        ("frank3", None),
        ("rank", None),
    ],
)
def test_a_worker_may_name_its_rank(worker: str, rank: int | None) -> None:
    assert rank_of(worker) == rank
