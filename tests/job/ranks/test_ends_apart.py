"""Collectives that ranks leave one by one: who waited, by the clocks that the other ends show to agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rank_records import Collective, rank_record

from tbprof.job.rank_record import Message, Part, RankRecord
from tbprof.job.what_if_times import JobAnalysis, analyze_ranks
from tbprof.views.job.late_causes import late_causes

QUEUED = Part("idle", "queued")
EXCHANGE = Message("all_to_all", "ep", 8192)
EXPOSED = Part("communication", within="ep")
APART_NS = 50_000


def alone(rows: list[Collective]) -> list[Collective]:
    """The same with nothing computed beside them: each stretch holds the exchange before it."""
    lengths = [0, *(row.duration_ns for row in rows)]
    return [replace(row, before={**row.before, EXPOSED: ns}) for row, ns in zip(rows, lengths, strict=False)]


def simulated(seed: int) -> tuple[JobAnalysis, np.ndarray, np.ndarray]:
    """Ranks with clocks of their own: the analysis, true waits, and each rank's idle before each exchange.

    Two thirds of the exchanges end on all ranks at once, as far as a few microseconds; of the others each
    rank leaves when it likes after the last has come.
    """
    rng = np.random.default_rng(seed)
    ranks, number = int(rng.integers(2, 5)), 30
    clock = rng.integers(-(10**9), 10**9, ranks)
    starts, ends = np.zeros((2, number, ranks), np.int64)
    idle = rng.integers(10_000, 3_000_000, (number, ranks))
    now = np.zeros(ranks, np.int64)
    is_apart = rng.permutation(np.arange(number) % 3 == 0)
    for index in range(number):
        starts[index] = now + idle[index]
        after = 200_000 + rng.integers(0, 4_000_000 if is_apart[index] else 3_000, ranks)
        ends[index] = now = starts[index].max() + after
    records: list[RankRecord] = []
    for rank in range(ranks):
        rows = [
            Collective(int(start), int(end - start), {QUEUED: int(own)}, message=EXCHANGE)
            for start, end, own in zip(
                starts[:, rank] + clock[rank], ends[:, rank] + clock[rank], idle[:, rank], strict=True
            )
        ]
        records.append(rank_record(rank, alone(rows)))
    return analyze_ranks(records), starts.max(axis=1, keepdims=True) - starts, idle


@pytest.mark.parametrize("seed", range(20))
def test_a_rank_waits_until_the_last_has_come_and_the_rest_is_transfer(seed: int) -> None:
    analysis, waits, _ = simulated(seed)
    (arrivals,) = analysis.arrivals
    assert np.abs(arrivals.wait_ns - waits).max() <= APART_NS
    apart = (arrivals.left_late_ns > 0).any(axis=1)
    assert apart.sum() >= 5
    assert np.abs(arrivals.wait_ns[apart] - waits[apart]).max() <= 10_000
    is_sure = np.sort(waits, axis=1)[:, 1] > 0.1 * waits.max(axis=1) + APART_NS
    is_sure &= apart & (arrivals.late >= 0)
    assert arrivals.late[is_sure].tolist() == waits[is_sure].argmin(axis=1).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_no_cause_is_given_more_than_the_rank_was_idle(seed: int) -> None:
    analysis, _, idle = simulated(seed)
    late = late_causes(analysis, [f"rank {rank}" for rank in range(idle.shape[1])], frozenset(), 1e9)
    for cause in late.causes:
        assert cause.due_us <= cause.late_us
        assert cause.due_us <= idle[:, cause.rank].sum() / 1000
    for one in analysis.late:
        assert one.own_ns is None or one.own_ns <= idle[:, one.rank].sum()


def in_turn(number: int = 6) -> list[RankRecord]:
    """Two ranks that are late in turn, 2.5 ms and 4.5 ms; after rank 0 was, rank 1 goes on for 2 ms."""
    first, second = [], []
    for begin in range(0, number * 7_085_000, 7_085_000):
        idle = 2_500_000 if begin == 0 else 2_540_000
        first += [
            Collective(begin + 2_500_000, 12_000, {QUEUED: idle}, message=EXCHANGE),
            Collective(begin + 2_545_000, 4_507_000, {QUEUED: 33_000}, message=EXCHANGE),
        ]
        second += [
            Collective(begin, 4_500_000, {QUEUED: 33_000 if begin else 0}, message=EXCHANGE),
            Collective(begin + 7_040_000, 12_000, {QUEUED: 2_540_000}, message=EXCHANGE),
        ]
    return [rank_record(0, alone(first)), rank_record(1, alone(second))]


def test_two_ranks_that_are_late_in_turn_are_both_late() -> None:
    analysis = analyze_ranks(in_turn())
    (arrivals,), (step,) = analysis.arrivals, analysis.late
    assert arrivals.late.tolist() == [0, 1] * 6
    assert arrivals.wait_ns.tolist() == [[0, 2_500_000], [4_495_000, 0]] * 6
    assert arrivals.transfer_ns.tolist() == [[12_000, 2_000_000], [12_000, 12_000]] * 6
    assert (step.rank, step.late_ns) == (1, 26_970_000)
    assert [(other.rank, other.late_ns) for other in step.others] == [(0, 15_000_000)]
    assert step.own_ns is not None
    assert step.own_ns < 15_500_000


def test_too_few_ends_say_nothing_of_clocks() -> None:
    analysis = analyze_ranks([rank_record(rank, rows) for rank, rows in enumerate(_pair_of_rows())])
    assert not analysis.arrivals[0].left_late_ns.any()


def _pair_of_rows() -> tuple[list[Collective], list[Collective]]:
    one = [Collective(2_500_000, 12_000, message=EXCHANGE), Collective(5_000_000, 9_000, message=EXCHANGE)]
    return one, [Collective(0, 4_500_000, message=EXCHANGE), Collective(5_000_000, 9_000, message=EXCHANGE)]
