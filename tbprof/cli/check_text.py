"""The answer of `tbprof check` for people.

The answer of `tbprof check` as workflow commands, which GitHub shows beside the lines of a change.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Callable

from tbprof.escaping import escaped, plain, prose
from tbprof.texts.check_outcomes import failure_sum, found_sentence, unjudged_sum
from tbprof.texts.figures.quantities import count
from tbprof.views.check import STATES, Accepted, BudgetRow, CheckRow, CheckView, Found, OverlapRow


def github_annotations(view: CheckView, path_in_checkout: Callable[[str], str]) -> list[str]:
    """One line for each finding that is not accepted, all that could not be judged, is over its budget or
    overlaps too little, and each warning.
    """
    gates = [row.text for row in view.gates if row.fails or row.found is None]
    return [
        *(_annotation(row, path_in_checkout) for row in view.rows if row.state in _OPEN),
        *(_command("error", {"title": "tbprof"}, text) for text in (*view.unjudged, *gates)),
        *(
            _command(
                "warning",
                _annotated_place(warned.rule, warned.file, warned.line, path_in_checkout),
                warned.text,
            )
            for warned in view.warned
        ),
    ]


def _annotation(row: CheckRow, path_in_checkout: Callable[[str], str]) -> str:
    found = row.found
    place = _annotated_place(found.rule, found.file, found.line, path_in_checkout)
    text = found_sentence(found.title, found.remedy, found.often, predicted=found.predicted)
    return _command("error" if row.fails else "warning", place, text)


def _annotated_place(
    rule: str, file: str, line: int | None, path_in_checkout: Callable[[str], str]
) -> dict[str, str]:
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


_FORMER = (
    "the baseline is of an earlier form, in which two lines of one function may be mistaken for each other: "
    "--update-baseline writes it again and keeps its reasons"
)
_NO_POLICY = "no policy given: nothing can fail; add --forbid, --budget or --overlap"
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
    lines += [f"{_gate_state(row):<12}{row.text}" for row in view.gates]
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


def _gate_state(row: BudgetRow | OverlapRow) -> str:
    if row.found is None:
        return "not judged"
    return "FAILS" if row.fails else "budget" if isinstance(row, BudgetRow) else "overlap"


def _gone(line: Accepted) -> str:
    return f"{'gone':<12}{line.rule} {line.file} {line.function}: take it out of the baseline"


def _failures(view: CheckView) -> str:
    """What failed, before what there is; "" where nothing did."""
    over = [row.of or "sync points" for row in view.budgets if row.is_exceeded]
    exposed = sum(row.is_missed for row in view.overlaps)
    return f"{failure_sum(sum(row.fails for row in view.rows), over, exposed)}; " if view.fails else ""


def _sum(view: CheckView) -> str:
    states = [row.state for row in view.rows]
    counted = ", ".join(f"{states.count(state)} {state}" for state in STATES)
    found = f"{count(len(states), 'finding')} ({counted})"
    budgets = [f"the budget of {row.of}" for row in view.budgets if row.found is None]
    unknown = sum(row.found is None for row in view.overlaps)
    overlaps = [f"the overlap of {count(unknown, 'window')}"] if unknown else []
    words = [*view.unjudged_words, *budgets, *overlaps]
    windows = len(view.unjudged_recordings)
    if not windows and not words:
        return found
    return f"{found}; {unjudged_sum(windows, len(view.recordings), words)}"


_OPEN = ("new", "more", "unseen")
_MOST_LINES = 50
"""A comment of GitHub takes 65,536 characters."""


def check_comment(view: CheckView, path_in_checkout: Callable[[str], str]) -> str:
    """What is not accepted, what fails first; names from programs stand in code and can be no markup."""
    rows = sorted((row for row in view.rows if row.state in _OPEN), key=lambda row: not row.fails)
    what = count(len(rows), "line that is not accepted", "lines that are not accepted")
    if not rows and len(view.doubts) == len(view.recordings):
        what = "nothing could be found"
    parts = [f"### tbprof: {escaped(view.verdict)}, {what}"]
    parts += ["Predicted, no GPU was used: lines and counts, no times."] if view.predicted else []
    parts += [prose(doubt) for doubt in view.doubts]
    listed = _first([_gate(row) for row in view.gates if row.fails or row.found is None])
    listed += _first([f"- **not judged**: {prose(sentence)}" for sentence in view.unjudged])
    listed += _first([_commented(row, path_in_checkout) for row in rows])
    parts += ["\n".join(listed)] if listed else []
    return "\n\n".join(parts) + "\n"


def _first(items: list[str]) -> list[str]:
    more = len(items) - _MOST_LINES
    return [*items[:_MOST_LINES], f"- and {more:,} more"] if more > 0 else items


def _commented(row: CheckRow, path_in_checkout: Callable[[str], str]) -> str:
    found = row.found
    text = found_sentence(found.title, found.remedy, found.often, predicted=found.predicted)
    number = "" if found.line is None else f":{found.line}"
    place = f" {_code(path_in_checkout(found.file) + number)}" if found.file else ""
    state = "**fails**" if row.fails else row.state
    item = f"- {state} {escaped(found.rule)}{place}: {prose(text)}"
    return f"{item}<br>{_code(found.shown_code)}" if found.shown_code else item


def _gate(row: BudgetRow | OverlapRow) -> str:
    state = "fails" if row.fails else "not judged"
    return f"- **{state}**: {prose(row.text)}"


def _code(text: str) -> str:
    """In a line of its own the marks of markdown would count; as numbers of characters they do not."""
    marks = {ord(mark): f"&#{ord(mark)};" for mark in "*_`[]<>&@#\\|~!"}
    return f"<code>{plain(text).translate(marks)}</code>"
