"""Copies to the host that nothing waits for."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.rules.copies.cpy10_unawaited_read import find_unawaited


def one_read() -> TraceBuilder:
    """In the first of two steps, from 100 to 105."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.step(2, 1000, 2000)
    built.copy("DtoH", "pinned", 100, 105, runs=(110, 120))
    return built


@pytest.mark.parametrize(("asked", "unawaited"), [(104.999, 1), (105, 0), (1999.999, 0), (2000, 1)])
def test_a_wait_counts_from_the_end_of_the_call_to_that_of_the_next_step(
    asked: float, unawaited: int
) -> None:
    built = one_read()
    built.call("cudaEventQuery", asked, asked + 0.001, thread=SIDE)
    assert len(find_unawaited(built.facts(), np.array([0]))) == unawaited


def test_a_copy_that_blocks_waits_for_those_before_it() -> None:
    built = one_read()
    assert len(find_unawaited(built.facts(), np.array([0]))) == 1
    built.copy("DtoH", "pageable", 300, 320, runs=(310, 319))
    assert len(find_unawaited(built.facts(), np.array([0]))) == 0
