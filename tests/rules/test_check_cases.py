"""Each check has a window where it fails, one where it passes, and one on each side of its boundary."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from check_cases import CheckCases, Window
from trace_builder import TraceBuilder

from tbprof.rules.checking import run_rules
from tbprof.rules.registry import RULES
from tbprof.rules.words import found_figures, looked_at_figures


def cases_of_tests() -> Iterator[CheckCases]:
    """The `CASES` of all tests of rules; what a test is called does not matter."""
    for path in sorted(Path(__file__).parent.glob("*/test_*.py")):
        if "\nCASES = (" not in path.read_text(encoding="utf-8"):
            continue
        spec = importlib.util.spec_from_file_location(f"cases_of_{path.stem}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from module.CASES


ALL = tuple(cases_of_tests())
RULE = {rule.code: rule for rule in RULES}


def test_every_check_has_its_cases_once() -> None:
    assert sorted(cases.code for cases in ALL) == sorted(RULE)


@pytest.mark.parametrize("cases", ALL, ids=[cases.code for cases in ALL])
def test_it_fails_passes_and_changes_its_mind_at_its_boundary(cases: CheckCases) -> None:
    assert cases.boundary
    assert state(cases.code, cases.positive) == "failed"
    assert state(cases.code, cases.negative) == "passed"
    assert state(cases.code, cases.least) == "failed"
    assert state(cases.code, cases.below) != "failed"


def state(code: str, window: Window) -> str:
    """What becomes of this check alone, with figures that are those which its family declares."""
    told = window()
    ran = run_rules((RULE[code],), told.facts() if isinstance(told, TraceBuilder) else told)
    assert ran.failed == ()
    (check,) = ran.checks
    assert looked_at_figures(code, check.numbers()) == check.figures
    for finding in ran.findings:
        assert found_figures(code, finding.numbers()) == finding.figures
    return check.state
