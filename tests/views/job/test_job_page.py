"""The page of a job: who is late, for what, and what a step would take without it."""

from __future__ import annotations

import dataclasses
import itertools
import pathlib

import pytest
from communication_scenes import NAME
from job_scenes import LATE, LATE_US, STEP_US, STEPS, job_of, pipeline_of

from tbprof.job.rank_record import RankRecord
from tbprof.model import Report
from tbprof.report import build_report
from tbprof.store.codec import decode_report, encode_report
from tbprof.texts.job import saved_sentence
from tbprof.views.job.job_first import job_first
from tbprof.views.job.job_page import JobPage, RankProblem
from tbprof.views.job.job_view import job_page
from tbprof.views.job.rank_summary import RankSummary, rank_summary


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    return [built.report() for built in job_of(3)]


@pytest.fixture(scope="module")
def ranks(reports: list[Report]) -> list[RankSummary]:
    return [rank_summary(report, f"node_{rank}", rank) for rank, report in enumerate(reports)]


@pytest.fixture(scope="module")
def page(ranks: list[RankSummary]) -> JobPage:
    return job_page(ranks)


def test_it_names_the_late_rank_and_its_cause_first(page: JobPage) -> None:
    assert "rank 1, which is late by 0.4\u202fms a step" in page.verdict
    assert "waiting for data" in page.verdict
    (cause,) = page.late
    assert (cause.rank, cause.cause, cause.steps) == (LATE, "data", tuple(range(STEPS)))
    assert (cause.late_us, cause.due_us) == (LATE_US, pytest.approx(LATE_US, rel=0.05))


def test_each_rank_says_first_who_is_late(page: JobPage) -> None:
    roles = [rank.role for rank in page.ranks]
    late = roles[LATE]
    assert late is not None
    assert late.sentence.startswith("The other ranks wait for this one: it is late by 0.4\u202fms a step")
    assert (late.order, late.opens) == ("Make the data loader of rank 1 faster", None)
    assert "DAT01" in late.answered_by
    assert "DST01" in late.answered
    for other in roles[:LATE] + roles[LATE + 1 :]:
        assert other is not None
        assert (other.order, other.opens, other.answered_by) == ("", LATE, ())
        assert other.sentence.startswith("Rank 1 is late by 0.4\u202fms a step (waiting for data")
        assert "and this rank waits 0." in other.sentence
        assert other.sentence.endswith("Change that first.")


def test_of_a_rank_that_is_late_before_the_window_more_steps_are_asked_for(traces: pathlib.Path) -> None:
    """By all its pages: the order of the late one and of those that wait for it are the same."""
    reports = [build_report(str(path)) for path in sorted((traces / "dlrm_v100_8rank").glob("*.json.gz"))]
    page = job_page([rank_summary(report, report.trace.worker, None) for report in reports])
    roles = [rank.role for rank in page.ranks]
    assert roles[7] is not None
    assert roles[7].order.startswith("Record more steps")
    assert job_first(page).order == roles[7].order
    waiting = [role.sentence for role in roles if role is not None and role.opens == 7]
    assert waiting
    assert all(" Record more steps first." in sentence for sentence in waiting)


def test_the_place_of_the_cause_is_a_line() -> None:
    page = job_page([rank_summary(one.report(), "", at) for at, one in enumerate(job_of(3, loads=False))])
    assert page.verdict.endswith("idle after log_loss at train.py:88.")
    source = page.late[0].source
    assert source is not None
    assert (source.file, source.line, source.function, source.exact) == ("train.py", 88, "log_loss", False)


def test_of_a_pipeline_each_stage_is_matched_with_the_next() -> None:
    reports = [built.report() for built in pipeline_of(4)]
    page = job_page([rank_summary(report, "", rank) for rank, report in enumerate(reports)])
    assert (page.matched, page.unmatched) == (3 * STEPS, 0)
    found = {(row.kind, row.group, row.ranks) for row in page.collectives}
    assert found == {("send", f"pp {stage} \u2192 {stage + 1}", 2) for stage in range(3)}
    assert f"for rank {LATE}" in page.verdict
    peers = [(0, 1, STEPS), (1, 2, STEPS)]
    communication = reports[1].communication
    assert communication is not None
    assert [(peer.source, peer.destination, peer.count) for peer in communication.peers] == peers


def test_a_saving_too_small_to_print_is_none() -> None:
    assert saved_sentence(3_790.0, 3_810.0) == "Without it a step of the job still takes 3.8\u202fms."
    assert saved_sentence(2_000.0, 3_810.0).endswith("takes 2.0\u202fms instead of 3.8\u202fms.")


def test_five_parts_are_a_step_and_transfers_and_waits_all_communication(page: JobPage) -> None:
    for rank in page.ranks:
        parts = (rank.computing_us, rank.communication_exposed_us, rank.copying_us)
        idle = sum(part.idle_us for part in rank.idle)
        assert sum(part or 0.0 for part in parts) + idle == pytest.approx(rank.step_us)
    assert [rank.arrival_wait_us for rank in page.ranks] == [LATE_US, 0.0, LATE_US]
    assert [rank.transfer_us for rank in page.ranks] == [100.0, 100.0, 100.0]
    (row,) = page.collectives
    assert row.transfer_us + row.arrival_wait_us == row.total_us
    assert row.bus_gb_s == pytest.approx(4_000 / 50_000 * 4 / 3)


def test_a_missing_rank_makes_no_group_smaller(ranks: list[RankSummary], page: JobPage) -> None:
    """Three of the three ranks are here, of a job of eight that named no group."""
    assert all(rank.record is not None for rank in ranks)
    unnamed = [
        dataclasses.replace(
            rank,
            world_size=8,
            record=rank.record
            and dataclasses.replace(
                rank.record,
                messages=tuple(
                    dataclasses.replace(message, group="", group_size=None)
                    for message in rank.record.messages
                ),
            ),
        )
        for rank in ranks
    ]
    (of_eight,), (row,) = job_page(unnamed).collectives, page.collectives
    assert row.algorithm_gb_s is not None
    assert of_eight.bus_gb_s == pytest.approx(row.algorithm_gb_s * 2 * 7 / 8)


def test_who_waits_for_whom_adds_up_to_the_waits(page: JobPage) -> None:
    assert [(wait.waiting, wait.awaited, wait.wait_us) for wait in page.waits] == [
        (0, LATE, LATE_US),
        (2, LATE, LATE_US),
    ]


def test_the_plan_says_what_a_step_of_the_job_gains(page: JobPage) -> None:
    (fix,) = page.plan
    assert fix.title == "Make the data loader of rank 1 faster"
    assert fix.floor_us <= LATE_US <= fix.ceiling_us
    assert page.what_if is not None
    assert page.what_if.step_us - page.what_if.without_us == pytest.approx(fix.estimate_us)


def test_a_strip_goes_on_without_a_gap_and_without_overlap(page: JobPage) -> None:
    for strip in page.strips:
        assert len(strip.stretches) == len(page.meetings) == 2 * STEPS
        for earlier, later in itertools.pairwise(strip.stretches):
            assert later.begin_us == earlier.end_us
        for stretch in strip.stretches:
            filled = stretch.computing_us + stretch.communication_us + stretch.copying_us
            filled += sum(part.idle_us for part in stretch.idle)
            assert filled == pytest.approx(stretch.start_us - stretch.begin_us, abs=0.01)
    assert page.meetings[-1].end_us < STEPS * STEP_US


def test_the_order_of_the_ranks_changes_nothing(ranks: list[RankSummary], page: JobPage) -> None:
    for order in itertools.permutations(ranks):
        assert repr(job_page(order)) == repr(page)


def test_a_missing_and_a_damaged_rank_are_named_and_the_others_stand(ranks: list[RankSummary]) -> None:
    worlds = [dataclasses.replace(rank, world_size=5) for rank in ranks]
    damaged = RankProblem(3, "node_3", "node_3.json is cut off.")
    page = job_page(worlds, [damaged])
    assert (page.missing, [problem.rank for problem in page.problems]) == ((4,), [3])
    assert any("Rank 4 recorded no window" in note for note in page.notes)
    assert any("node_3.json is cut off." in note for note in page.notes)
    assert page.late[0].rank == LATE
    assert page.verdict.startswith("The 3 ranks compared of 5:")
    assert page.detail.startswith("Rank 4, rank 3 are not compared: if one of them is the late one")


def first_only(record: RankRecord) -> RankRecord:
    """As of a trace that ends after its first collective."""
    columns = ("message", "number", "step", "start_ns", "duration_ns", "launched_ns", "host_wait_ns")
    own = {name: getattr(record, name)[:1] for name in columns}
    until = int(record.part_begin[1])
    parts = {name: getattr(record, name)[:until] for name in ("part", "part_ns", "part_count", "part_work")}
    begin = record.part_begin[:2]
    return dataclasses.replace(record, **own, **parts, part_begin=begin, is_cut=True)


def test_of_a_rank_that_is_not_matched_no_figures_are_made_up(ranks: list[RankSummary]) -> None:
    assert ranks[2].record is not None
    damaged = dataclasses.replace(ranks[2], is_damaged=True, record=first_only(ranks[2].record))
    page = job_page([*ranks[:2], damaged])
    row = page.ranks[2]
    assert (row.transfer_us, row.arrival_wait_us, row.late_us, row.latest_in) == (None,) * 4
    assert row.name == "rank 2 (damaged)"
    assert [part.cause for part in row.idle] == ["unknown"]
    assert page.verdict.startswith("The 2 ranks compared of 3:")
    assert any(note.startswith("Rank 2 is not compared") for note in page.notes)


def test_a_report_of_an_older_version_is_named_and_not_guessed_from(reports: list[Report]) -> None:
    communication = reports[2].communication
    assert communication is not None
    assert communication.sequence is not None
    older = dataclasses.replace(
        communication.sequence, begin_ns=None, step=(), launched_ns=(), host_wait_ns=(), part_work=()
    )
    report = dataclasses.replace(reports[2], communication=dataclasses.replace(communication, sequence=older))
    kept = decode_report(encode_report(report, written_by="an older version"), name="kept")
    page = job_page([rank_summary(one, "", at) for at, one in enumerate((*reports[:2], kept))])
    assert [problem.rank for problem in page.problems] == [2]
    assert len(page.ranks) == 2


def test_one_rank_alone_is_no_job(ranks: list[RankSummary]) -> None:
    page = job_page(ranks[:1])
    assert page.verdict.startswith("Only rank 0 is here")
    assert (page.late, page.plan, page.waiting_share) == ((), (), None)


def test_ranks_that_arrive_together_are_said_to() -> None:
    page = job_page([rank_summary(one.report(), "", at) for at, one in enumerate(job_of(2, late_us=0.0))])
    assert page.verdict == "2 ranks arrive together: no rank is late by more than noise."


def test_a_job_of_cold_recordings_is_to_be_recorded_again_first(ranks: list[RankSummary]) -> None:
    """One cold window of three says nothing of the others."""
    cold = [dataclasses.replace(rank, is_cold=True) for rank in ranks]
    page = job_page(cold)
    assert page.verdict == (
        "All ranks began to record before the program was warm: record again with a longer `skip_first`."
    )
    assert "rank 1, which is late" in page.detail
    assert "rank 1, which is late" in job_page([cold[0], *ranks[1:]]).verdict


def test_an_exchange_that_nobody_is_late_for_comes_first() -> None:
    built = job_of(2, late_us=0.0)
    for one in built:
        for event in one.events:
            if event.get("name") == NAME:
                event["dur"] += 2_000
    page = job_page([rank_summary(one.report(), "", at) for at, one in enumerate(built)])
    assert page.verdict.startswith("2 ranks: the exchange itself takes")
    assert "all_reduce; no rank is late by much" in page.verdict


def test_without_a_matched_collective_the_rank_that_waits_least_is_named(ranks: list[RankSummary]) -> None:
    unmatched = [
        dataclasses.replace(rank, record=None if at else rank.record) for at, rank in enumerate(ranks)
    ]
    assert job_page(unmatched).waiting_share is None
    steps_ns = ranks[0].step_ns or 0
    parts = (0.9, 0.3, 0.8)
    apart = [
        dataclasses.replace(rank, record=kinds_of_its_own(rank, at), exposed_ns=round(part * steps_ns))
        for at, (rank, part) in enumerate(zip(ranks, parts, strict=True))
    ]
    assert job_page(apart).verdict.endswith(
        "Rank 1 spends 30\u202f% of its step in communication, the others 80\u202f% to 90\u202f%: "
        "they wait for it, most likely."
    )


def kinds_of_its_own(rank: RankSummary, number: int) -> RankRecord:
    """The collectives of a rank in a group that no other one has."""
    assert rank.record is not None
    messages = tuple(
        dataclasses.replace(one, group=f"group {number}", group_size=2) for one in rank.record.messages
    )
    return dataclasses.replace(rank.record, messages=messages)


def test_a_rank_that_collects_garbage_meanwhile_is_late_for_that() -> None:
    built = job_of(3, loads=False)
    for number in range(STEPS):
        begin = number * STEP_US
        built[LATE].frame("Python GC", begin + 1, begin + LATE_US + 95)
    page = job_page([rank_summary(one.report(), f"node_{rank}", rank) for rank, one in enumerate(built)])
    (cause,) = page.late
    assert (cause.rank, cause.cause, cause.cause_name) == (LATE, "garbage_collection", "Garbage collection")
    assert cause.due_us == pytest.approx(LATE_US, rel=0.05)
    assert "garbage collection" in page.verdict
    assert "Collect garbage at the same step on all ranks" in [fix.title.split(",")[0] for fix in page.plan]
    role = page.ranks[LATE].role
    assert role is not None
    assert "LCH09" in role.answered_by
