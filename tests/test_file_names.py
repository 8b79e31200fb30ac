"""How the files of a window end, which rank a worker names, and which runs are of one program."""

from __future__ import annotations

import pytest

from tbprof.file_names import RAW_SUFFIX, REPORT_SUFFIX, rank_of, run_family
from tbprof.trace.importers.sniffing import TRACE_SUFFIXES


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


def test_runs_of_one_folder_whose_names_differ_in_numbers_are_of_one_family() -> None:
    assert run_family("resnet/nw0") == run_family("resnet/nw4") != run_family("bert/nw4")
    assert run_family("exp/run-4f2a91c") == run_family("exp/run-77b0e21")
    assert run_family("before") != run_family("after")
