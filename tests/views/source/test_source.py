"""The Source view, from a report: which lines are marked, what they save, and what is said at them."""

from __future__ import annotations

import dataclasses

import pytest
from masked_scene import masked_reads
from source_scene import METRICS, TRAIN, known_training

from tbprof.judge.actions import added_savings
from tbprof.model import PredictedLine, Report, Source
from tbprof.texts.rule_pages import rule_words
from tbprof.views.source import LineMark, SourceFile, SourceFilesView
from tbprof.views.source_files_view import source_files_view

REPORT = known_training()


def view(report: Report = REPORT) -> SourceFilesView:
    return source_files_view(report)


def file(path: str, report: Report = REPORT) -> SourceFile:
    return next(one for one in view(report).files if one.path == path)


def marks(path: str, report: Report = REPORT) -> dict[int, LineMark]:
    return {mark.line: mark for mark in file(path, report).marks}


def test_the_file_that_saves_most_is_first() -> None:
    assert [one.path for one in view().files] == ["train.py", "lib/metrics.py"]
    first, second = (one.saving for one in view().files)
    assert first is not None
    assert second is not None
    assert (first.estimate_us or 0) > (second.estimate_us or 0) > 0


def test_the_code_is_the_one_that_ran() -> None:
    [block] = file("lib/metrics.py").code
    assert (block.first_line, "\n".join(block.lines) + "\n") == (3, METRICS)
    [whole] = file("train.py").code
    assert len(whole.lines) == TRAIN.count("\n")
    assert "1,120" in view().about


def test_the_lines_of_the_plan_save_together_what_it_adds() -> None:
    planned = [mark for one in view().files for mark in one.marks if mark.numbers]
    saved = [mark.saving.estimate_us for mark in planned if mark.saving is not None]
    assert sum(value or 0 for value in saved) == pytest.approx(
        sum(saving.estimate_ns or 0 for saving in added_savings(REPORT)) / 1000 / len(REPORT.steps)
    )


def test_a_line_tells_its_wait_and_holds_its_findings() -> None:
    move = marks("train.py")[12]
    assert (move.kind, move.function, move.note) == ("line", "train", "waits 0.1\u202fms a step")
    [remark] = move.remarks
    assert (remark.finding.rule, remark.number) == ("CPY01", 1)
    assert [edit.line for edit in remark.edits] == [6, 12]
    [read] = marks("train.py")[19].remarks
    assert (read.finding.rule, read.number, read.edits) == ("SYN01", 3, ())
    assert "of its own change" not in read.finding.worth


def test_a_saving_of_waits_that_hide_one_another_is_said_to_be_joint() -> None:
    report = masked_reads().report()
    lines = [Source("train.py", at, "train", exact=True, candidates=()) for at in (7, 12)]
    sites = tuple(
        dataclasses.replace(site, source=line) for site, line in zip(report.sites, lines, strict=True)
    )
    first, last = report.fix_plan
    plan = (
        dataclasses.replace(first, adds_ns=0, total_ns=0),
        dataclasses.replace(last, adds_ns=last.total_ns),
    )
    found = marks("train.py", dataclasses.replace(report, sites=sites, fix_plan=plan, ranked=None))
    remarks = [one.finding for at in (7, 12) for one in found[at].remarks if one.finding.rule != "SYN10"]
    assert [one.rule for one in remarks] == ["SYN01", "SYN04"]
    assert "together with the other lines of its own change" in remarks[1].worth


def test_lines_that_a_call_can_be_on_are_candidates_and_its_finding_is_said_once() -> None:
    lines = marks("train.py")
    assert [lines[at].kind for at in (15, 17)] == ["candidate", "candidate"]
    assert lines[15].note == "one of 15, 17"
    assert [len(lines[at].remarks) for at in (15, 17)] == [1, 0]


def test_the_def_alone_is_marked_as_one() -> None:
    sources = [Source("train.py", 1, "train", exact=False, candidates=lines) for lines in ((), (15, 17))]
    for source in sources:
        site = dataclasses.replace(REPORT.sites[1], source=source)
        report = dataclasses.replace(REPORT, sites=(REPORT.sites[0], site, *REPORT.sites[2:]))
        marked = marks("train.py", report)[1]
        assert marked.kind == "def"
        assert marked.note.startswith("line of its def")
        assert [remark.finding.rule for remark in marked.remarks] == ["SYN02"]


def test_beneath_a_library_the_users_own_call_has_the_saving_too() -> None:
    own = Source("train.py", 22, "train", exact=True, candidates=())
    inner = Source("torchmetrics/metric.py", 90, "update", exact=False, candidates=())
    site = dataclasses.replace(REPORT.sites[2], source=inner, library="torchmetrics", callers=(inner, own))
    report = dataclasses.replace(REPORT, sites=(*REPORT.sites[:2], site, *REPORT.sites[3:]))
    called = marks("train.py", report)[22]
    assert (called.kind, called.note) == ("caller", "waits in torchmetrics, metric.py:90")
    assert called.saving == marks("torchmetrics/metric.py", report)[90].saving
    assert [one.library for one in view(report).files] == ["", "", "torchmetrics"]
    # It is not counted twice.
    assert sum(one.findings for one in view(report).files) == 4


def test_the_shorter_name_that_a_trace_has_is_the_same_file() -> None:
    site = REPORT.sites[2]
    assert site.source is not None
    cut = dataclasses.replace(site, source=dataclasses.replace(site.source, file="metrics.py"))
    report = dataclasses.replace(REPORT, sites=(*REPORT.sites[:2], cut, *REPORT.sites[3:]))
    assert marks("lib/metrics.py", report)[5].sites == (2,)


def test_a_recorded_call_that_waits_for_nothing_is_noted() -> None:
    report = dataclasses.replace(REPORT, sites=(), findings=(), fix_plan=(), ranked=None)
    move = marks("train.py", report)[12]
    assert (move.kind, move.saving, move.note) == ("call", None, "to (cpu to cuda:0), seen 1 time")


def test_without_a_gpu_lines_that_would_wait_say_so() -> None:
    line = PredictedLine(
        rule="SYN01",
        kind="scalar_read",
        source=Source("train.py", 19, "train", exact=True, candidates=()),
        call="item",
        count=1,
        known="seen",
        fingerprint="0",
    )
    report = dataclasses.replace(
        REPORT, sites=(), findings=(), fix_plan=(), predicted_lines=(line,), ranked=None
    )
    lines = marks("train.py", report)
    assert lines[19].note.startswith("would wait for a GPU: reads one number back. ")
    assert lines[19].note.endswith(f"{rule_words(line.rule).action}.")
    assert lines[12].note.startswith("to (cpu to cuda:0)")


def test_without_code_it_says_so_and_the_lines_stay() -> None:
    report = dataclasses.replace(REPORT, sources=())
    assert "not recorded" in view(report).about
    assert file("train.py", report).code == ()
    assert 12 in marks("train.py", report)


def test_every_site_with_a_line_has_a_place() -> None:
    shown = view()
    places = {place.site: (shown.files[place.file].path, place.line) for place in shown.places}
    assert places == {0: ("train.py", 12), 1: ("train.py", 15), 2: ("lib/metrics.py", 5), 3: ("train.py", 19)}


def test_a_finding_without_a_line_is_not_lost() -> None:
    shown = view()
    remarked = {remark.finding.rule for one in shown.files for mark in one.marks for remark in mark.remarks}
    elsewhere = {row.rule for row in shown.elsewhere}
    assert remarked | elsewhere == {found.rule for found in REPORT.findings}
    assert elsewhere
    assert all(not row.sites for row in shown.elsewhere)


def test_the_commit_is_that_of_the_program() -> None:
    assert view().commit == "4f1c2a9"
    assert view(dataclasses.replace(REPORT, facts=None)).commit is None
