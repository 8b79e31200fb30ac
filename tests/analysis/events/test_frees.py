"""Frees of the allocator, and those of libraries that are set up."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.calls import find_frees
from tbprof.analysis.facts import Facts


def frees(*calls: str, op: str = "") -> tuple[int, int]:
    """How many of the calls, one after the other in an op or in none, flush and belong to a handle."""
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    if op:
        built.op(op, 5, 1000)
    for at, name in enumerate(calls):
        built.call(name, 10 + 10 * at, 15 + 10 * at)
    facts: Facts = built.facts()
    found = find_frees(facts.trace, facts.training_threads, facts.calls)
    return len(found.flushing), len(found.of_handles)


def test_several_frees_in_a_row_outside_every_op_empty_the_cache() -> None:
    assert frees("cudaFree", "cudaFree") == (2, 0)
    assert frees("cudaFree", "cudaEventSynchronize", "cudaFree") == (2, 0)
    assert frees("cudaFree") == (0, 0)
    assert frees("cudaFree", "cudaLaunchKernel", "cudaFree") == (0, 0)


def test_frees_between_two_allocations_follow_one_that_failed() -> None:
    calls = ("cudaMalloc", "cudaDeviceSynchronize", "cudaFree", "cudaFree", "cudaMalloc")
    assert frees(*calls, op="aten::empty") == (2, 0)


def test_frees_of_an_op_without_a_failed_allocation_are_those_of_a_handle() -> None:
    assert frees("cudaFree", "cudaFree", "cudaMalloc", op="aten::addmm") == (0, 2)
    assert frees("cudaMalloc", "cudaFree", "cudaStreamIsCapturing", op="aten::cudnn_convolution") == (0, 1)


def test_more_frees_in_a_row_than_a_handle_makes_give_the_cache_back() -> None:
    calls = ("cudaMalloc", "cudaGetLastError", "cudaFree", "cudaFree", "cudaFree", "cudaMalloc")
    assert frees(*calls, op="aten::cat") == (3, 0)


def test_what_an_op_frees_each_time_is_no_handle() -> None:
    """Memory is short: a convolution asks for its workspace and gives it back in every call."""
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    for at in range(10, 40, 10):
        built.op("aten::cudnn_convolution", at, at + 8)
        built.call("cudaFree", at + 1, at + 3)
        built.call("cudaMalloc", at + 4, at + 6)
    facts = built.facts()
    found = find_frees(facts.trace, facts.training_threads, facts.calls)
    assert (len(found.flushing), len(found.of_handles)) == (3, 0)
