"""What the rules read, computed once."""

from __future__ import annotations

from scenes import SIDE, host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.figures.memory_blocks import window_curves
from tbprof.analysis.figures.operators import find_operators


def test_instants_count_from_the_first_event() -> None:
    built = TraceBuilder()
    built.op("aten::add", 5.5, 10)
    built.op("aten::mul", 2.25, 3)
    assert built.facts().origin_ns == built.origin_ns + 2_250


def test_only_a_blocking_wait_in_a_step_on_a_training_thread_can_be_won() -> None:
    built = host_bound(steps=1)
    built.copy("HtoD", "pinned", 450, 460, runs=(700, 701))
    read_scalar(built, 500, wait=10, thread=SIDE)
    read_scalar(built, 1500, wait=10)
    facts = built.facts()
    start = (facts.episodes.start_ns[facts.can_be_won] - built.origin_ns).tolist()
    assert start == [110_000]


def test_empty_idle_is_that_of_the_busiest_device() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.kernel(0, 90, device=0, correlation=1)
    built.kernel(0, 10, device=1, correlation=2)
    assert built.facts().empty_idle_ns == 10_000


def test_facts_are_computed_once() -> None:
    facts = host_bound().facts()
    assert facts.episodes is facts.episodes
    assert facts.sites is facts.sites


def test_what_is_forgotten_is_found_again_when_asked_for() -> None:
    facts = host_bound().facts()
    kept, found, replay = facts.once(find_operators), facts.once(window_curves), facts.replay
    facts.forget_all_but((find_operators,))
    assert facts.once(find_operators) is kept
    assert facts.once(window_curves) == found
    assert facts.replay is not replay
    assert facts.replay.unchanged_ns == replay.unchanged_ns
