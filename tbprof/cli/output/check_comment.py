"""The answer of `tbprof check` as markdown, for a comment on a pull request or the summary of a job."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.escaping import escaped, plain, prose
from tbprof.texts.figures.quantities import count
from tbprof.texts.findings.check import found_sentence
from tbprof.views.check.check import BudgetRow, CheckRow, CheckView

_OPEN = ("new", "more", "unseen")
_MOST_LINES = 50
"""A comment of GitHub takes 65,536 characters."""


def check_comment(view: CheckView, path_in_checkout: Callable[[str], str]) -> str:
    """What is not accepted, what fails first; names from programs stand in code and can be no markup."""
    rows = sorted((row for row in view.rows if row.state in _OPEN), key=lambda row: not row.fails)
    what = count(len(rows), "line that is not accepted", "lines that are not accepted")
    if not rows and len(view.doubts) == len(view.recordings):
        what = "but nothing could be found"
    parts = [f"### tbprof: {escaped(view.verdict)}, {what}"]
    parts += ["Predicted, no GPU was used: lines and counts, no times."] if view.predicted else []
    parts += [prose(doubt) for doubt in view.doubts]
    listed = [_budget(row) for row in view.budgets if row.is_exceeded or row.found is None]
    listed += _first([f"- **not judged**: {prose(sentence)}" for sentence in view.unjudged])
    listed += _first([_finding(row, path_in_checkout) for row in rows])
    parts += ["\n".join(listed)] if listed else []
    return "\n\n".join(parts) + "\n"


def _first(items: list[str]) -> list[str]:
    more = len(items) - _MOST_LINES
    return [*items[:_MOST_LINES], f"- and {more:,} more"] if more > 0 else items


def _finding(row: CheckRow, path_in_checkout: Callable[[str], str]) -> str:
    found = row.found
    text = found_sentence(found.title, found.remedy, found.often, predicted=found.predicted)
    number = "" if found.line is None else f":{found.line}"
    place = f" {_code(path_in_checkout(found.file) + number)}" if found.file else ""
    state = "**fails**" if row.fails else row.state
    item = f"- {state} {escaped(found.rule)}{place}: {prose(text)}"
    return f"{item}<br>{_code(found.shown_code)}" if found.shown_code else item


def _budget(row: BudgetRow) -> str:
    state = "fails" if row.is_exceeded else "not judged"
    return f"- **{state}**: {prose(row.text)}"


def _code(text: str) -> str:
    """In a line of its own the marks of markdown would count; as numbers of characters they do not."""
    marks = {ord(mark): f"&#{ord(mark)};" for mark in "*_`[]<>&@#\\|~!"}
    return f"<code>{plain(text).translate(marks)}</code>"
