"""Where each check really failed and passed: kept by `tests/bench/check_examples.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from public_report import PublicReport

from tbprof.rules.files import rule_files
from tbprof.rules.registry import RULES

EXAMPLES = json.loads(
    (Path(__file__).parents[1] / "data" / "check_examples.json").read_text(encoding="utf-8")
)
OF_A_GIVEN_TRACE = [
    (code, state, example)
    for code, row in EXAMPLES.items()
    for state, example in row.items()
    if state != "because" and example and ": " not in example and not example.startswith("tests/")
]


def test_most_checks_have_a_real_example() -> None:
    assert EXAMPLES.keys() <= {file.code for file in rule_files()}
    assert sum(bool(row["failed"] or row["passed"]) for row in EXAMPLES.values()) >= 60


def test_each_check_has_a_row_that_says_why_where_it_has_no_example() -> None:
    assert EXAMPLES.keys() == {rule.code for rule in RULES}
    for row in EXAMPLES.values():
        assert bool(row["failed"] and row["passed"]) != bool(row.get("because"))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("code", "state", "example"), OF_A_GIVEN_TRACE)
def test_it_still_holds_of_that_trace(
    code: str, state: str, example: str, traces: Path, public_report: PublicReport
) -> None:
    states = {check.rule: check.state for check in public_report(traces / example).checks}
    assert states[code] == state
