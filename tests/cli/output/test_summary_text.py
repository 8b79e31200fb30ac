"""The summary of runs as a table, as CSV and as JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

from tbprof.cli.output_file import Problem
from tbprof.cli.summary_text import summary_csv, summary_json, summary_text
from tbprof.views.run_summary import RunSummary

ROW = RunSummary(
    "team/a", 8, 3, 5, 12_300.0, 0.51, "Read the loss later", 4_000.0, True, True, "Idle. First: read.", False
)
CPU = RunSummary("cpu", 1, None, 3, None, None, "", None, False, True, "Recorded without a GPU.", False)


def test_the_table_has_a_line_a_run_and_says_what_is_not_known() -> None:
    head, first, last = summary_text([ROW, CPU]).splitlines()
    assert head.split("  ")[0] == "run"
    assert first.endswith("51\u202f%  rank 3: Read the loss later: saves 4.0\u202fms a step")
    assert last.split()[:5] == ["cpu", "1", "3", "-", "-"]
    assert last.endswith("Recorded without a GPU.")


def test_a_ceiling_is_called_one_and_a_window_no_step() -> None:
    row = dataclasses.replace(ROW, is_estimate=False, marks_steps=False)
    assert "up to 4.0\u202fms in the window" in summary_text([row])


def test_a_line_that_would_wait_is_called_predicted() -> None:
    row = dataclasses.replace(CPU, first_action="Read the loss later", is_predicted=True)
    assert summary_text([row]).endswith("  Read the loss later (predicted)\n")


def test_what_is_to_be_recorded_first_saves_nothing_and_is_not_predicted() -> None:
    row = dataclasses.replace(ROW, first_action="Record again", saves_us=None)
    assert summary_text([row]).endswith("  rank 3: Record again\n")


def test_csv_holds_figures_and_no_formula() -> None:
    (read,) = csv.DictReader(io.StringIO(summary_csv([dataclasses.replace(ROW, run="=1+1")])))
    assert (read["run"], read["idle_share"], read["saves_us"]) == ("'=1+1", "0.51", "4000.0")


def test_json_holds_all_of_it() -> None:
    problem = Problem("runs/a", "Not recorded: rank 4.")
    read = json.loads(summary_json([ROW, CPU], [problem]))
    assert read["schema"] == 1
    assert read["problems"] == [{"path": "runs/a", "sentence": "Not recorded: rank 4."}]
    assert read["runs"] == [dataclasses.asdict(ROW), dataclasses.asdict(CPU)]


def test_a_name_does_not_steer_a_terminal() -> None:
    assert "\x1b" not in summary_text([dataclasses.replace(ROW, run="\x1b[2J")])
