"""What is won of a program whose steps are shorter while nobody records them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hook_scenes import hook_facts
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import LINE_NS, saving_of
from tbprof.model import Removal, Saving

STEPS = 4


def recorded(*, unprofiled_us: int | None) -> Facts:
    """In a step of 1000 an op of 480, in which the device works, and a wait of 20 for it in a call of 40.

    The rest is Python. What is taken off the op is waited for instead, and steps are as long as before.
    """
    built = TraceBuilder()
    for number in range(STEPS):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 5, runs=(start + 10, start + 510))
        built.op("aten::mul", start + 10, start + 490)
        built.op("aten::to", start + 490, start + 530)
        built.synchronize("cudaStreamSynchronize", start + 495, start + 515)
    known = hook_facts(
        recorded_steps=0, unprofiled_step_ns=None if unprofiled_us is None else 1000 * unprofiled_us
    )
    return Facts(dataclasses.replace(built.trace(), facts=known))


def saving(facts: Facts, removal: Removal = "defer") -> Saving:
    return saving_of(facts, np.flatnonzero(facts.can_be_won), removal)


def test_where_nobody_timed_a_step_the_recording_is_the_program() -> None:
    facts = recorded(unprofiled_us=None)
    assert (facts.replay.added_share, facts.replay.longer_waits_ns) == (0, {})
    assert saving(facts).ceiling_ns == STEPS * 20_000


def test_with_quicker_calls_the_host_waits_for_longer() -> None:
    facts = recorded(unprofiled_us=995)
    assert 0 < facts.replay.added_share < 1
    assert min(facts.replay.longer_waits_ns.values()) > 100_000
    assert (saving(facts).estimate_ns or 0) > 10 * (saving(recorded(unprofiled_us=None)).estimate_ns or 0)


def test_a_step_that_was_not_slowed_has_calls_that_were() -> None:
    """As much as usual: behind a device that is the limit nobody sees it."""
    facts = recorded(unprofiled_us=1000)
    assert facts.replay.added_share == 0
    assert saving(facts).ceiling_ns > saving(recorded(unprofiled_us=None)).ceiling_ns


@pytest.mark.parametrize(("removal", "more_ns"), [("defer", 0), ("drop", 20_000 + LINE_NS)])
def test_a_line_that_goes_takes_its_call_with_it(removal: Removal, more_ns: int) -> None:
    ceiling_ns = saving(recorded(unprofiled_us=None), removal).ceiling_ns
    assert ceiling_ns == STEPS * (20_000 + more_ns)
