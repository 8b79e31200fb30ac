"""Who was late, by how much, and what for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from rank_records import Collective, rank_record

from tbprof.job.arrivals import NOBODY
from tbprof.job.blame import JITTER
from tbprof.job.rank_record import Message, Part, RankRecord
from tbprof.job.what_if_times import JobAnalysis, analyze_ranks

US = 1_000
COMPUTING = Part("computing", name="aten::mm", within="layers.0")
LOADER = Part("idle", "data", "data.py:41")
SYNC = Part("idle", "sync", "train.py:88")


def job(*before: Mapping[Part, int], transfer: int = 10, **more: int) -> JobAnalysis:
    """Ranks that do something of some us each, and then meet once."""
    lengths = [sum(one.values()) for one in before]
    end = max(lengths) + transfer
    return analyze_ranks(
        [
            rank_record(
                rank,
                [
                    Collective(
                        length * US,
                        (end - length) * US,
                        {part: us * US for part, us in held.items()},
                        **more,
                    )
                ],
            )
            for rank, (held, length) in enumerate(zip(before, lengths, strict=True))
        ]
    )


def test_the_last_to_arrive_waits_for_nobody() -> None:
    analysis = job({COMPUTING: 100}, {COMPUTING: 100, LOADER: 60}, {COMPUTING: 120})
    (arrivals,) = analysis.arrivals
    assert (arrivals.wait_ns // US).tolist() == [[60, 0, 40]]
    assert (arrivals.transfer_ns // US).tolist() == [[10, 10, 10]]
    assert (arrivals.late.tolist(), arrivals.late_ns.tolist()) == ([1], [50 * US])


def test_waits_and_transfers_are_all_communication_and_blame_is_all_waits() -> None:
    analysis = job({COMPUTING: 101}, {COMPUTING: 100, LOADER: 59}, {COMPUTING: 117, SYNC: 3})
    (arrivals,), (late,) = analysis.arrivals, analysis.late
    durations = [sum(row) for row in zip(*(arrivals.wait_ns + arrivals.transfer_ns).tolist(), strict=True)]
    assert durations == [68 * US, 10 * US, 49 * US]
    assert sum(late.by_part.values()) == late.waits_ns == arrivals.wait_ns.sum()


@pytest.mark.parametrize("cause", [LOADER, SYNC, Part("copying")])
def test_a_cause_is_what_the_late_rank_has_more_of(cause: Part) -> None:
    (late,) = job({COMPUTING: 100}, {COMPUTING: 100}, {COMPUTING: 100, cause: 40}).late
    assert (late.rank, late.cause, late.cause_share) == (2, cause, 1.0)


def test_within_noise_nobody_is_late() -> None:
    analysis = job({COMPUTING: 1000}, {COMPUTING: 1004}, transfer=10)
    assert analysis.late[0].rank == NOBODY
    assert analysis.late[0].by_part == {JITTER: 4 * US}


def test_ranks_that_come_late_together_are_named_together() -> None:
    late = {COMPUTING: 100, LOADER: 60}
    analysis = job({COMPUTING: 100}, late, {COMPUTING: 100}, late)
    (arrivals,), (step,) = analysis.arrivals, analysis.late
    assert arrivals.is_late.tolist() == [[False, True, False, True]]
    assert (step.rank, step.also_late, step.late_ns, step.cause) == (1, (3,), 60 * US, LOADER)
    assert analysis.estimates is not None
    assert analysis.estimates.steps[0].without_ns == 110 * US


def test_where_most_come_late_nobody_is_the_late_one() -> None:
    late = {COMPUTING: 100, LOADER: 60}
    assert job({COMPUTING: 100}, late, late, late).late[0].rank == NOBODY


def test_waits_side_by_side_make_a_rank_late_once() -> None:
    """Two buckets are reduced at once: the other rank waits for both of them, and no longer than for one."""
    buckets = [Collective(100, 1_000_000), Collective(200, 999_900)]
    late = [Collective(990_000, 10_100, {LOADER: 989_900}), Collective(990_100, 10_000)]
    analysis = analyze_ranks([rank_record(0, buckets), rank_record(1, late)])
    (arrivals,), (step,) = analysis.arrivals, analysis.late
    assert arrivals.wait_ns[:, 0].tolist() == [989_900, 989_900]
    assert arrivals.net_wait_ns[:, 0].tolist() == [989_900, 100]
    assert (step.rank, step.late_ns) == (1, 990_000)


def test_a_rank_that_is_late_elsewhere_in_the_step_is_named_with_its_own_cause() -> None:
    """Two meetings a step: rank 2 is late in the first by 90 us, rank 1 in the second by 40."""

    def rank(number: int, first: Mapping[Part, int], second: Mapping[Part, int]) -> RankRecord:
        begins = [sum(first.values()), 200 + sum(second.values())]
        befores = [{part: us * US for part, us in held.items()} for held in (first, second)]
        rows = [(begins[0], 200 - begins[0]), (begins[1], 400 - begins[1])]
        return rank_record(
            number,
            [
                Collective(start * US, us * US, before)
                for (start, us), before in zip(rows, befores, strict=True)
            ],
        )

    (step,) = analyze_ranks(
        [
            rank(0, {COMPUTING: 100}, {COMPUTING: 100}),
            rank(1, {COMPUTING: 100}, {COMPUTING: 100, SYNC: 40}),
            rank(2, {COMPUTING: 100, LOADER: 90}, {COMPUTING: 100}),
        ]
    ).late
    assert (step.rank, step.late_ns, step.cause) == (2, 90 * US, LOADER)
    (other,) = step.others
    assert (other.rank, other.late_ns, other.cause, other.cause_share) == (1, 40 * US, SYNC, 1.0)


def test_of_two_causes_the_larger_is_named_with_its_share() -> None:
    (late,) = job({COMPUTING: 100}, {COMPUTING: 100}, {COMPUTING: 100, LOADER: 30, SYNC: 10}).late
    assert (late.cause, late.cause_share, late.near_cause) == (LOADER, 0.75, None)


def test_of_two_causes_that_are_nearly_equal_both_are_named() -> None:
    (late,) = job({COMPUTING: 100}, {COMPUTING: 100}, {COMPUTING: 100, LOADER: 30, SYNC: 29}).late
    assert (late.cause, late.near_cause) == (LOADER, SYNC)


def test_no_cause_has_more_of_the_lateness_than_the_rank_did_of_it() -> None:
    """Rank 3 is late twice for one sync of 30 us, with its pair and then with all; what it computes more, 40
    us, makes it late with all alone.
    """

    def rank(number: int, pair: tuple[int, int], world: tuple[int, int], synced: int) -> RankRecord:
        own = Message("all_reduce", f"pair {number // 2}", 64, 2)
        first = {COMPUTING: 100 * US} | ({SYNC: synced * US} if synced else {})
        waited = {Part("communication", "", "all_reduce", own.group): pair[1] * US}
        computed = {COMPUTING: (world[0] - sum(pair) + 100) * US}
        return rank_record(
            number,
            [
                Collective(pair[0] * US, pair[1] * US, first, message=own),
                Collective(world[0] * US, world[1] * US, first | waited | computed),
            ],
        )

    ranks = [((100, 10), (210, 80), 0)] * 2 + [((100, 40), (240, 50), 0), ((130, 10), (280, 10), 30)]
    (step,) = analyze_ranks([rank(number, *one) for number, one in enumerate(ranks)]).late
    assert (step.rank, step.late_ns, step.cause) == (3, 100 * US, COMPUTING)
    assert step.near_cause == SYNC


def test_computing_that_fills_what_is_idle_elsewhere_makes_nobody_late() -> None:
    waits = Part("idle", "launch", "train.py:50")
    slow = {COMPUTING: 130, waits: 70, LOADER: 20}
    (late,) = job({COMPUTING: 100, waits: 100}, {COMPUTING: 100, waits: 100}, slow).late
    assert (late.cause, late.cause_share) == (LOADER, 1.0)


def test_a_mean_step_leaves_out_the_first_whose_begin_is_not_there() -> None:
    def steps(own: int) -> list[Collective]:
        return [Collective(at * 1000 + own, 1000 - own, {COMPUTING: own}, step=at) for at in range(3)]

    estimates = analyze_ranks([rank_record(0, steps(100)), rank_record(1, steps(200))]).estimates
    assert estimates is not None
    assert [one.step for one in estimates.whole_steps] == [1, 2]


def test_only_who_receives_waits() -> None:
    send, receive = Message("send", "pair", 8), Message("recv", "pair", 8)
    sender = rank_record(0, [Collective(0, 500, message=send)])
    receiver = rank_record(1, [Collective(300, 200, message=receive)])
    (arrivals,) = analyze_ranks([sender, receiver]).arrivals
    assert arrivals.wait_ns.tolist() == [[0, 0]]
    assert arrivals.late.tolist() == [NOBODY]


def reason(own: Sequence[Mapping[str, int]]) -> str | None:
    """What is said of the last of some ranks that compute ops, some us each."""
    ranks = [{Part("computing", name=op): us for op, us in one.items()} for one in own]
    return job(*ranks).late[0].computing


def test_all_ops_slowed_alike_are_a_slow_device_and_one_alone_is_more_work() -> None:
    usual = {"aten::mm": 100, "aten::add": 50}
    assert reason([usual, usual, {"aten::mm": 130, "aten::add": 65}]) == "slower"
    assert reason([usual, usual, {"aten::mm": 145, "aten::add": 50}]) == "more"
    assert reason([{"aten::mm": 100}, {"aten::mm": 100}, {"aten::mm": 130}]) == "unknown"


def test_the_same_kernels_before_another_collective_are_no_more_work() -> None:
    def rank(number: int, *counts: int, length: int) -> RankRecord:
        return rank_record(
            number,
            [
                Collective(at * 1000 * US, (500 - length) * US, {COMPUTING: length * US}, count=count)
                for at, count in enumerate(counts, 1)
            ],
        )

    def said(*counts: int) -> str | None:
        others = [rank(number, 10, 10, length=100) for number in range(2)]
        return analyze_ranks([*others, rank(2, *counts, length=200)]).late[0].computing

    assert (said(12, 8), said(12, 10)) == ("slower", "more")


def test_a_step_without_the_late_rank_is_that_of_the_next() -> None:
    analysis = job({COMPUTING: 100}, {COMPUTING: 100, LOADER: 60}, {COMPUTING: 120})
    assert analysis.estimates is not None
    (estimate,) = analysis.estimates.steps
    assert (estimate.now_ns, estimate.without_ns) == (170 * US, 130 * US)
    assert estimate.floor_ns <= estimate.saving_ns <= estimate.ceiling_ns


def test_clocks_are_known_from_the_ends() -> None:
    ahead = [rank_record(0, [Collective(at, 100) for at in (0, 1000, 2000)])]
    ahead.append(rank_record(1, [Collective(at + 5_000, 100) for at in (0, 1000, 2010)]))
    first, second = analyze_ranks(ahead).clocks
    assert first is not None
    assert second is not None
    assert (first.offset_ns, second.offset_ns) == (0, 5_000)
    assert 0 < second.spread_ns <= 10
