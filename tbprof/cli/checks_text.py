"""The checks as text: what failed first, then what nobody could look at, then what passed."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.cli.terminal import UNCALIBRATED, saving_text
from tbprof.escaping import code, escaped, plain, prose
from tbprof.texts.rule_pages import RuleText
from tbprof.views.checks import CheckRow, ChecksView

_MARKS = {
    "failed": "FAILED",
    "predicted": "predicted",
    "not_checked": "not checked",
    "passed": "passed",
    "not_applicable": "-",
}

_IS_THE_CASE = ("failed", "predicted")
"""States of checks that are named by what they found, and say what to do."""


def list_text(rules: Sequence[RuleText]) -> str:
    """All checks that there are, by family and code."""
    return "".join(f"{rule.code}  {rule.name:<26} {rule.title}\n" for rule in rules)


def checks_text(name: str, view: ChecksView) -> str:
    """One line a check, and below it what the evidence is; then what to record."""
    lines = [f"{name}: {view.sentence}", ""]
    for row in view.rows:
        lines += [f"  {_mark(row):<12} {row.rule}  {row.title if row.state in _IS_THE_CASE else row.name}"]
        lines += [f"{'':15}{text}" for text in (row.said, *_worth(row)) if text]
    for missing in view.missing:
        rules = ", ".join(missing.rules)
        lines += ["", f"  {missing.what[0].upper()}{missing.what[1:]} lets {rules} look:"]
        lines += [f"    {line}" for line in missing.code.splitlines()]
    return "\n".join(plain(line.rstrip()) for line in lines) + "\n"


def checks_markdown(view: ChecksView) -> list[str]:
    """The failed ones have sections of their own: here the others stand with their evidence."""
    if not view.rows:
        return []
    lines = ["### Checks", "", prose(view.sentence), ""]
    lines += [f"- {escaped(row.rule)} {_mark(row)}: {prose(row.said)}" for row in view.rows if row.said]
    lines += [
        f"- To record: {prose(missing.what)} ({code(missing.code.splitlines()[0])}) for "
        f"{escaped(', '.join(missing.rules))}"
        for missing in view.missing
        if missing.code
    ]
    return [*lines, ""]


def _mark(row: CheckRow) -> str:
    return "no cost" if row.severity == "info" else _MARKS[row.state]


def _worth(row: CheckRow) -> list[str]:
    if row.state not in _IS_THE_CASE:
        return []
    saved = row.no_saving if row.saving is None else f"saves {saving_text(row.saving, note=UNCALIBRATED)}"
    return [saved, f"{row.action}."]
