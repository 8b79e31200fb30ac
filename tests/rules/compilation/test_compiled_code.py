"""CMP02 to CMP04: what torch's own records say of compiled code."""

from __future__ import annotations

from typing import Any

import pytest
from check_cases import CheckCases, beside
from hook_scenes import hook_facts, report_with
from rule_scenes import each_step
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.cli.terminal import terminal_text
from tbprof.model import CompilerFacts, GraphBreak, Recompilation, Report

BREAK = GraphBreak("train.py", 12, "step", "print can't be traced", 2)
AGAIN = Recompilation("train.py", 8, "step", "tensor 'x' size mismatch", 3, 4_000_000_000)
IN_STEPS = {"dynamo.frames": 1}


def running(region: str = "Torch-Compiled Region: 0/0") -> TraceBuilder:
    return each_step(lambda built, at: built.annotation(region, at, at + 100))


def report_of_compiled(built: TraceBuilder, counters: dict[str, int] | None = None, **known: Any) -> Report:
    facts = CompilerFacts(graphs=2, operations=40, **known)
    report = report_with(hook_facts(compiler=facts, counters=counters or {}), built)
    assert report.failed_rules == ()
    return report


def codes(report: Report) -> list[str]:
    return [f.rule for f in report.findings if f.rule in ("CMP02", "CMP03", "CMP04")]


@pytest.mark.parametrize(
    ("known", "found"),
    [
        ({}, []),
        ({"breaks": (BREAK,)}, ["CMP02"]),
        ({"cudagraph_skips": 1}, ["CMP03"]),
        ({"given_up": ("size mismatch",)}, ["CMP04"]),
        ({"recompilations": (AGAIN,)}, []),
    ],
)
def test_each_has_a_rule_of_its_own(known: dict[str, Any], found: list[str]) -> None:
    assert codes(report_of_compiled(running(), **known)) == found


def test_code_that_does_not_run_in_the_steps_costs_them_nothing() -> None:
    report = report_of_compiled(running("forward"), breaks=(BREAK,), cudagraph_skips=1)
    assert codes(report) == []
    states = {check.rule: check.state for check in report.checks}
    assert (states["CMP02"], states["CMP03"]) == ("passed", "passed")


def test_compiled_again_counts_in_the_recorded_steps_alone() -> None:
    (finding,) = [
        f
        for f in report_of_compiled(running(), IN_STEPS, recompilations=(AGAIN,)).findings
        if f.rule == "CMP04"
    ]
    assert (finding.severity, finding.numbers()["place"]) == ("low", "train.py(8): step")
    (given_up,) = [
        f
        for f in report_of_compiled(running(), recompilations=(AGAIN,), given_up=("x",)).findings
        if f.rule == "CMP04"
    ]
    assert given_up.severity == "medium"
    assert codes(report_of_compiled(running(), IN_STEPS)) == []


def test_at_most_three_lines_are_named() -> None:
    lines = tuple(GraphBreak("train.py", line, "step", "r", 1) for line in range(1, 6))
    assert codes(report_of_compiled(running(), breaks=lines)) == ["CMP02"] * 3


def test_what_was_compiled_passes_with_its_figures() -> None:
    checks = {check.rule: check for check in report_of_compiled(running()).checks}
    assert checks["CMP02"].numbers()["operations"] == 40
    assert checks["CMP02"].numbers()["regions_per_step"] == 1


def test_without_the_compiler_there_is_nothing_to_judge() -> None:
    report = report_with(hook_facts(), running())
    states = {check.rule: check.state for check in report.checks}
    assert {states[code] for code in ("CMP02", "CMP03", "CMP04")} == {"not_applicable"}
    assert ("CMP02", "facts of the hook") in {(row.rule, row.needs) for row in running().report().not_checked}


def compiled(counters: dict[str, int] | None = None, **known: Any) -> Facts:
    facts = CompilerFacts(graphs=2, operations=40, **known)
    return beside(hook_facts(compiler=facts, counters=counters or {}), running())


def broken(times: int) -> Facts:
    return compiled(breaks=(GraphBreak("train.py", 12, "step", "r", times),) if times else ())


CASES = (
    CheckCases(
        "CMP02",
        boundary="no threshold: a single break of code that runs in the steps",
        positive=lambda: broken(40),
        negative=compiled,
        least=lambda: broken(1),
        below=lambda: broken(0),
    ),
    CheckCases(
        "CMP03",
        boundary="no threshold: a single graph that was left out",
        positive=lambda: compiled(cudagraph_skips=20),
        negative=compiled,
        least=lambda: compiled(cudagraph_skips=1),
        below=lambda: compiled(cudagraph_skips=0),
    ),
    CheckCases(
        "CMP04",
        boundary="no threshold: one frame that was compiled again in the recorded steps",
        positive=lambda: compiled(given_up=("size mismatch",)),
        negative=lambda: compiled(IN_STEPS),
        least=lambda: compiled(IN_STEPS, recompilations=(AGAIN,)),
        below=lambda: compiled(recompilations=(AGAIN,)),
    ),
)


def test_what_torch_gave_up_is_a_change_without_a_figure() -> None:
    text = terminal_text(report_of_compiled(running(), recompilations=(AGAIN,), given_up=("x",)))
    row = "  1. Keep what the reason names the same, or mark it as dynamic: what it saves is not known\n"
    assert text.count("CMP04") == 1
    assert f"{row}     CMP04 train.py:8 step: x." in text
