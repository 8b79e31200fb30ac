"""Lines of a run without a GPU, as the tab and the command line show them."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed

from tbprof.cli.markdown import markdown
from tbprof.cli.terminal import terminal_text
from tbprof.model import HealthFact, PredictedLine, Report, Source, SourceText, code_line
from tbprof.views.window import WindowView
from tbprof.views.window_view import window_view


def line(number: int, call: str = "item", file: str = "train.py") -> PredictedLine:
    source = Source(file, number, "step", exact=True, candidates=())
    return PredictedLine("SYN01", "scalar_read", source, call, 2, "seen", f"{file}{number}{call}")


TEXT = SourceText("train.py", 10, "def step(loss):\n    total += loss.item()\n")


def without_a_gpu(*lines: PredictedLine) -> Report:
    return changed(idle=None, predicted_lines=lines, sources=(TEXT,), sites=(), findings=(), fix_plan=())


def view(report: Report) -> WindowView:
    return window_view(report, run="run", worker="w", window="w.1")


def test_a_line_is_shown_with_its_code_and_its_rule() -> None:
    (row,) = view(without_a_gpu(line(11))).predicted
    assert (row.file, row.line, row.code, row.rule) == ("train.py", 11, "total += loss.item()", "SYN01")
    assert (row.title, row.why) == ("A scalar is read back in the step", "reads one number back")
    assert row.action and not row.action.endswith(".")
    assert row.how.endswith(".")
    assert row.per_step == 2


def test_a_line_of_a_framework_names_the_option_that_takes_it_away() -> None:
    ours = line(11)
    asked = dataclasses.replace(
        ours,
        kind="control_flow",
        source=Source("lib/transformers/trainer.py", 1911, "_run_epoch", exact=True, candidates=()),
    )
    of_framework, own = view(without_a_gpu(asked, ours)).predicted
    assert (
        of_framework.how == "The Trainer asks this of every loss: logging_nan_inf_filter=False turns it off."
    )
    assert own.how == "Add up on the device and read rarely."


def test_the_sentence_counts_lines_and_not_calls() -> None:
    shown = view(without_a_gpu(line(11), line(11, "__float__"), line(30)))
    assert shown.verdict == "Recorded without a GPU: 2 lines would make the host wait for one."
    assert "Recorded without a GPU: 1 line would" in view(without_a_gpu(line(11))).verdict


def test_what_ends_a_program_comes_first_then_what_runs_most_often() -> None:
    kinds = ("upload", "host_read", "scalar_read", "device_mismatch")
    lines = [
        dataclasses.replace(line(at), kind=kind, count=at % 3 + 1, fingerprint=kind)
        for at, kind in enumerate(kinds, start=10)
    ]
    rows = view(without_a_gpu(*lines)).predicted
    assert [(row.fingerprint, row.worth) for row in rows] == [
        ("device_mismatch", "ends in an error"),
        ("host_read", "drains the GPU's queue 3 times a step"),
        ("upload", "waits for its own copy twice a step"),
        ("scalar_read", "drains the GPU's queue once a step"),
    ]


def test_that_nothing_would_wait_is_said_as_well() -> None:
    assert "no line that was seen would" in view(without_a_gpu()).verdict


def test_a_run_whose_lines_nobody_saw_says_only_that_it_had_no_gpu() -> None:
    shown = view(changed(idle=None, recorded_calls=(), sites=(), findings=(), fix_plan=()))
    assert shown.verdict == "No GPU work was recorded."


def test_a_run_with_a_gpu_predicts_nothing() -> None:
    assert view(REPORT).predicted == ()


def test_a_line_that_was_not_embedded_has_no_code() -> None:
    for file, number in (("train.py", 9), ("train.py", 12), ("other.py", 11)):
        assert code_line(Source(file, number, "step", exact=True, candidates=()), (TEXT,)) == ""


def test_the_terminal_and_markdown_mark_them_as_predicted() -> None:
    report = without_a_gpu(line(11))
    for text in (terminal_text(report), markdown(report)):
        assert "redicted, no GPU was used" in text
        assert "train.py:11" in text
        assert "total += loss.item()" in text


def test_the_answer_of_a_request_is_no_loss_to_read_less_often() -> None:
    report = without_a_gpu(line(11))
    health = (HealthFact("inference", "info", {}),)
    request = dataclasses.replace(report, trace=dataclasses.replace(report.trace, health=health))
    (row,) = view(request).predicted
    assert row.action == "Read the answer of a request once, at its end"
    assert "answer" not in view(report).predicted[0].action
