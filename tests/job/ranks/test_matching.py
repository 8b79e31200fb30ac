"""Which collective of one rank is which of another."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
from rank_records import Collective, rank_record

from tbprof.job.matching import Matching, Unmatched, match_ranks
from tbprof.job.rank_record import NOT_RECORDED, Message

SIZES = (100, 200, 300, 400)


def of_bytes(sizes: Sequence[int], numbers: Sequence[int] = ()) -> list[Collective]:
    """Collectives of these bytes, one after the other."""
    return [
        Collective(
            at * 1000,
            100,
            message=Message("all_reduce", "world", size),
            number=numbers[at] if numbers else NOT_RECORDED,
        )
        for at, size in enumerate(sizes)
    ]


def matched(*ranks: Sequence[Collective]) -> Matching:
    return match_ranks([rank_record(rank, some) for rank, some in enumerate(ranks)])


def pairs_of(matching: Matching) -> list[list[int]]:
    (group,) = matching.groups
    pairs: list[list[int]] = group.at.tolist()
    return pairs


def test_sequence_numbers_come_first() -> None:
    matching = matched(of_bytes([100, 100, 100], [7, 8, 9]), of_bytes([100, 100, 100], [8, 9, 10]))
    assert pairs_of(matching) == [[1, 0], [2, 1]]
    assert matching.groups[0].how == "number"
    assert matching.unmatched == (Unmatched("world", "not_on_all_ranks", 2),)


def test_the_same_number_with_another_size_is_no_match() -> None:
    matching = matched(of_bytes([100, 200], [1, 2]), of_bytes([100, 300], [1, 2]))
    assert pairs_of(matching) == [[0, 0]]
    assert matching.unmatched == (Unmatched("world", "different_kinds", 2),)


def test_equal_sequences_are_matched_in_their_order() -> None:
    assert pairs_of(matched(of_bytes(SIZES), of_bytes(SIZES))) == [[0, 0], [1, 1], [2, 2], [3, 3]]


def test_a_window_that_begins_later_is_shifted() -> None:
    matching = matched(of_bytes(SIZES), of_bytes(SIZES[1:]))
    assert pairs_of(matching) == [[1, 0], [2, 1], [3, 2]]
    assert matching.groups[0].how == "shifted"
    assert matching.unmatched_count == 1


def test_two_streams_that_ran_in_another_order_are_matched_by_kind() -> None:
    matching = matched(of_bytes([100, 100, 200, 200]), of_bytes([200, 100, 200, 100]))
    assert sorted(pairs_of(matching)) == [[0, 1], [1, 3], [2, 0], [3, 2]]


def test_what_could_be_shifted_in_two_ways_is_not_matched() -> None:
    matching = matched(of_bytes([100, 100, 100]), of_bytes([100, 100]))
    assert matching.groups == ()
    assert matching.unmatched == (Unmatched("world", "ambiguous", 5),)


def test_ranks_that_do_different_things_are_not_matched() -> None:
    matching = matched(of_bytes([100, 200]), of_bytes([300, 400]))
    assert matching.unmatched == (Unmatched("world", "different_kinds", 4),)


def test_a_rank_alone_in_its_group_is_said() -> None:
    alone = [dataclasses.replace(one, message=Message("all_gather", "other")) for one in of_bytes([100])]
    matching = matched([*of_bytes([100]), *alone], of_bytes([100]))
    assert matching.unmatched == (Unmatched("other", "one_rank", 1),)


@pytest.mark.parametrize(("size", "absent"), [(None, 0), (2, 0), (4, 2)])
def test_ranks_without_a_record_are_counted(size: int | None, absent: int) -> None:
    some = [Collective(0, 100, message=Message("all_reduce", "world", 8, group_size=size))]
    assert matched(some, some).groups[0].absent == absent


def test_a_row_that_one_rank_lacks_costs_the_others_nothing() -> None:
    matching = matched(of_bytes(SIZES), of_bytes([100, 200, 400]), of_bytes(SIZES))
    assert pairs_of(matching) == [[0, 0, 0], [1, 1, 1], [3, 2, 3]]
    assert matching.unmatched == (Unmatched("world", "not_on_all_ranks", 2),)
    assert matching.longest_count == 4


@pytest.mark.parametrize("numbers", [(), (5, 6, 7, 8)])
def test_a_rank_with_which_less_is_matched_is_left_out(numbers: Sequence[int]) -> None:
    matching = matched(
        of_bytes(SIZES, numbers), of_bytes(SIZES, numbers), of_bytes([100], numbers), of_bytes(SIZES, numbers)
    )
    assert matching.groups[0].ranks == (0, 1, 3)
    assert pairs_of(matching) == [[at] * 3 for at in range(4)]
    assert matching.unmatched == (Unmatched("world", "left_out", 1, 2, 4),)
    assert 2 not in matching.ranks


def test_a_rank_that_does_something_else_is_told_from_one_that_lacks_some() -> None:
    matching = matched(of_bytes(SIZES), of_bytes(SIZES), of_bytes([100, 900, 800, 700]))
    assert matching.groups[0].ranks == (0, 1)
    assert matching.unmatched == (Unmatched("world", "different_kinds", 4),)
