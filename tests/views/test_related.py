"""Which recordings of one folder can be ranks of one job."""

from __future__ import annotations

import dataclasses

from tbprof.views.related import Recording, unrelated

HOUR_NS = 3600 * 1_000_000_000
AT_NS = 1_752_215_573_000_000_000
RANK = Recording("node_rank0", 0, 4, has_collectives=True, recorded_ns=AT_NS)
PLAIN = Recording("gpu_box_77", None, None, has_collectives=False, recorded_ns=AT_NS)


def ranks(number: int) -> list[Recording]:
    return [dataclasses.replace(RANK, worker=f"node_rank{at}", rank=at) for at in range(number)]


def apart(*recordings: Recording) -> list[int]:
    return sorted(unrelated(dict(enumerate(recordings))))


def test_ranks_of_one_world_belong_together() -> None:
    assert apart(*ranks(4)) == []


def test_a_recording_of_no_world_or_of_another_one_lies_beside_them() -> None:
    other = dataclasses.replace(RANK, worker="other_rank1", rank=1, world_size=2)
    alone = dataclasses.replace(RANK, worker="other_rank0", rank=0, world_size=1)
    assert apart(*ranks(3), PLAIN, other, alone) == [3, 4, 5]


def test_what_tells_no_world_but_exchanges_or_names_a_rank_may_be_one() -> None:
    named = [dataclasses.replace(PLAIN, worker=f"rank{at}_trace", rank=at) for at in range(2)]
    exchanging = dataclasses.replace(PLAIN, has_collectives=True)
    assert apart(*named, exchanging) == []


def test_two_plain_recordings_are_no_job_and_one_alone_is_not_asked() -> None:
    assert apart(PLAIN, dataclasses.replace(PLAIN, worker="gpu_box_78")) == [0, 1]
    assert apart(PLAIN) == []


def test_a_rank_of_another_day_is_of_another_training() -> None:
    early = dataclasses.replace(RANK, worker="node_rank3", rank=3, recorded_ns=AT_NS - 24 * HOUR_NS)
    assert apart(*ranks(3), early) == [3]
    soon = dataclasses.replace(early, recorded_ns=AT_NS - HOUR_NS)
    assert apart(*ranks(3), soon) == []
