"""The answer of `tbprof check` for people."""

from __future__ import annotations

from tbprof.escaping import plain
from tbprof.texts.figures.quantities import count
from tbprof.texts.findings.check import failure_sum, unjudged_sum
from tbprof.views.check.check import STATES, Accepted, BudgetRow, CheckRow, CheckView, Found

_FORMER = (
    "the baseline is of an earlier form, in which two lines of one function may be mistaken for each other: "
    "--update-baseline writes it again and keeps its reasons"
)
_NO_POLICY = "no policy given: nothing can fail; add --forbid or --budget"
_UNSEEN = (
    "not in every step, and the baseline is of a recording of other steps: it can't tell whether this is new"
)


def check_text(view: CheckView, *, has_policy: bool) -> str:
    """What fails the build first, then the rest, then the sum in one line.

    Args:
        view: The answer.
        has_policy: Whether anything was asked for that could fail.
    """
    failing = [row for row in view.rows if row.fails]
    others = [row for row in view.rows if not row.fails]
    unjudged = frozenset(view.unjudged_recordings)
    lines = [f"{name}: not judged" if name in unjudged else name for name in view.recordings]
    if view.predicted:
        lines.append("predicted, no GPU was used: lines and counts, no times")
    if view.steps == 0 and view.rows:
        lines.append("no step was seen: counts are those of the whole run")
    lines += view.doubts
    if view.is_former_baseline:
        lines.append(_FORMER)
    for row in (*failing, *others):
        lines += _finding(row)
    lines += [f"{_budget_state(row):<12}{row.text}" for row in view.budgets]
    lines += [f"{'warning':<12}{row.rule} {_place(row.file, row.line)}{row.text}" for row in view.warned]
    lines += [_gone(line) for line in view.gone]
    lines += [f"{view.verdict}: {_failures(view)}{_sum(view)}"] if has_policy else [_sum(view), _NO_POLICY]
    return "\n".join(plain(line) for line in lines) + "\n"


def _finding(row: CheckRow) -> list[str]:
    found = row.found
    state = "FAILS" if row.fails else row.state
    often = found.often
    if row.state == "more":
        often += f" instead of {row.accepted_per_step:,}"
    lines = [f"{state:<12}{found.rule} {_where(found)} {often}: {found.title}"]
    lines += [f"{'':12}{found.shown_code}"] if found.shown_code else []
    lines += [f"{'':12}{found.option}"] if found.option else []
    lines += [f"{'':12}{row.reason}"] if row.reason else []
    lines += [f"{'':12}{_UNSEEN}"] if row.state == "unseen" else []
    return lines


def _where(found: Found) -> str:
    place = f"{_place(found.file, found.line)}{found.function}".strip()
    return place or f"(line not recorded) {' < '.join(found.ops)}"


def _place(file: str, line: int | None) -> str:
    return "" if not file else f"{file} " if line is None else f"{file}:{line} "


def _budget_state(row: BudgetRow) -> str:
    if row.found is None:
        return "not judged"
    return "FAILS" if row.is_exceeded else "budget"


def _gone(line: Accepted) -> str:
    return f"{'gone':<12}{line.rule} {line.file} {line.function}: take it out of the baseline"


def _failures(view: CheckView) -> str:
    """What failed, before what there is; "" where nothing did."""
    over = [row.of or "sync points" for row in view.budgets if row.is_exceeded]
    return f"{failure_sum(sum(row.fails for row in view.rows), over)}; " if view.fails else ""


def _sum(view: CheckView) -> str:
    states = [row.state for row in view.rows]
    counted = ", ".join(f"{states.count(state)} {state}" for state in STATES)
    found = f"{count(len(states), 'finding')} ({counted})"
    budgets = [f"the budget of {row.of}" for row in view.budgets if row.found is None]
    words = [*view.unjudged_words, *budgets]
    windows = len(view.unjudged_recordings)
    if not windows and not words:
        return found
    return f"{found}; {unjudged_sum(windows, len(view.recordings), words)}"
