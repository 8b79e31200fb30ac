"""The answer of `tbprof check` as workflow commands, which GitHub shows beside the lines of a change.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Callable

from tbprof.escaping import plain
from tbprof.texts.findings.check import found_sentence
from tbprof.views.check.check import CheckRow, CheckView

_OPEN = ("new", "more", "unseen")


def github_annotations(view: CheckView, path_in_checkout: Callable[[str], str]) -> list[str]:
    """One line for each finding that is not accepted, all that could not be judged or is over its budget, and
    each warning.
    """
    budgets = [row.text for row in view.budgets if row.is_exceeded or row.found is None]
    return [
        *(_finding(row, path_in_checkout) for row in view.rows if row.state in _OPEN),
        *(_command("error", {"title": "tbprof"}, text) for text in (*view.unjudged, *budgets)),
        *(
            _command("warning", _place(warned.rule, warned.file, warned.line, path_in_checkout), warned.text)
            for warned in view.warned
        ),
    ]


def _finding(row: CheckRow, path_in_checkout: Callable[[str], str]) -> str:
    found = row.found
    place = _place(found.rule, found.file, found.line, path_in_checkout)
    text = found_sentence(found.title, found.remedy, found.often, predicted=found.predicted)
    return _command("error" if row.fails else "warning", place, text)


def _place(rule: str, file: str, line: int | None, path_in_checkout: Callable[[str], str]) -> dict[str, str]:
    where = {} if not file else {"file": path_in_checkout(file)}
    if file and line is not None:
        where["line"] = str(line)
    return {**where, "title": f"tbprof {rule}"}


def _command(name: str, properties: dict[str, str], message: str) -> str:
    given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{name} {given}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    """The per cent sign first: it begins every escape."""
    for mark in "%\r\n" + more:
        text = text.replace(mark, f"%{ord(mark):02X}")
    return plain(text)
