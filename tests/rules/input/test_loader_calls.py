"""How long each call of the data loader left the device without work."""

from __future__ import annotations

from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.rules.input.loader_calls import READY_BATCH_NS, find_loader_calls
from tbprof.trace.columns.arrays import NONE

NEXT = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def two_calls() -> TraceBuilder:
    """A call of 1 ms beside a busy device and one of 5 ms, of which 4 leave it dry."""
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    built.launch(0, 1, runs=(1, 3_000))
    built.annotation(NEXT, 1_000, 2_000)
    built.annotation(NEXT, 2_000, 7_000)
    built.launch(7_000, 7_001, runs=(7_001, 10_000))
    return built


def test_a_call_costs_what_it_leaves_dry() -> None:
    calls = find_loader_calls(two_calls().facts())
    assert calls.exposed_ns.tolist() == [0, 4_000_000]
    assert (calls.share, calls.names, calls.drained_by) == (0.4, (NEXT,), NONE)


def test_a_ready_batch_is_no_loss_of_any_call() -> None:
    calls = find_loader_calls(two_calls().facts())
    assert calls.certain_ns == 4_000_000 - READY_BATCH_NS


def test_a_loader_of_another_thread_starves_nobody() -> None:
    built = two_calls()
    built.annotation(NEXT, 7_500, 9_000, thread=SIDE)
    assert len(find_loader_calls(built.facts()).rows) == 2


def test_the_wait_in_which_most_of_its_idle_began_is_named() -> None:
    built = two_calls()
    built.synchronize("cudaEventSynchronize", 500, 510)
    built.synchronize("cudaStreamSynchronize", 2_500, 3_100)
    facts = built.facts()
    drained = find_loader_calls(facts).drained_by
    assert facts.sites[drained].calls == ("cudaStreamSynchronize",)
