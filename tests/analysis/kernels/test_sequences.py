"""Sequences of kernels that a stream runs again and again."""

from __future__ import annotations

from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.figures.kernel_sequences import KernelSequence
from tbprof.analysis.figures.kernel_table import kernel_table


def sequences(*streams: str) -> tuple[KernelSequence, ...]:
    """Each letter is a kernel of 2 us, one every 5 us."""
    built = TraceBuilder()
    for stream, letters in enumerate(streams):
        for at, letter in enumerate(letters):
            built.launch(5 * at, 5 * at + 1, runs=(5 * at + 1, 5 * at + 3), name=letter, stream=stream)
    return kernel_table(facts_of(built)).sequences


def shown(*streams: str) -> list[tuple[str, int]]:
    return [("".join(one.names), one.count) for one in sequences(*streams)]


def test_a_sequence_is_as_long_as_it_always_is() -> None:
    assert shown("xabcyabczabc") == [("abc", 3)]


def test_the_kernels_of_a_sequence_are_in_no_other_one() -> None:
    # Two of the four "ab" are in it.
    assert shown("abcxabcyabzab") == [("abc", 2), ("ab", 2)]


def test_a_sequence_that_repeats_at_once_does_not_overlap() -> None:
    assert shown("abababab") == [("abab", 2)]
    assert shown("aaaaa") == [("aa", 2)]


def test_a_sequence_lies_on_one_stream() -> None:
    assert shown("ab", "ab") == [("ab", 2)]
    assert shown("aba", "bab") == [("ab", 2)]
    assert shown("xa", "by") == []


def test_its_time_is_that_of_its_kernels_and_its_span_holds_what_lies_between() -> None:
    (one,) = sequences("xabcyabc")
    assert (one.total_ns, one.span_ns) == (12_000, 24_000)


def test_nothing_repeats() -> None:
    assert shown("abcdef") == []
    assert shown("a") == []
