"""Uploads of the same sizes in each step, after the step has begun to compute."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import upload
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.rules.copies.steady_uploads import find_steady_uploads, names_loader

LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"


def training(*at: float, steps: int = 5) -> Facts:
    """Steps of 1000 us: the loader to 10, a kernel launched at 100, and an upload at each of `at`."""
    built = TraceBuilder()
    for number in range(steps):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.annotation(LOADER, start, start + 10)
        built.launch(start + 100, start + 101, runs=(start + 102, start + 110))
        for one in at:
            upload(built, start + one, wait=20, size_bytes=64)
    return built.facts()


@pytest.mark.parametrize(("at", "steady"), [(10, 0), (99, 0), (100, 5), (900, 5)])
def test_before_the_first_kernel_it_is_the_batch(at: float, steady: int) -> None:
    assert len(find_steady_uploads(training(at), np.arange(5))) == steady


def test_several_a_step_are_as_steady_as_one() -> None:
    assert len(find_steady_uploads(training(200, 300), np.arange(10))) == 10


def test_a_trace_tells_whether_it_names_the_loader() -> None:
    assert names_loader(training())
    built = TraceBuilder()
    built.step(1, 0, 1000)
    assert not names_loader(built.facts())
