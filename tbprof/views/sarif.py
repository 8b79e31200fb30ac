"""The answer of `tbprof check` as SARIF 2.1.0, which code hosts show beside the lines.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

from tbprof.texts.check_outcomes import found_sentence
from tbprof.texts.rule_pages import rule_address
from tbprof.version import __version__
from tbprof.views.check import CheckRow, CheckView, RowState, Warned

Json: TypeAlias = dict[str, Any]

FINGERPRINT = "tbprof/v3"
"""Names the way in which `tbprof.model.fingerprint` makes one."""

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASELINE_STATES: dict[RowState, str] = {
    "new": "new",
    "more": "updated",
    "unseen": "new",
    "accepted": "unchanged",
}


def sarif_log(view: CheckView, path_in_checkout: Callable[[str], str]) -> Json:
    """One log with one run.

    Args:
        view: The answer.
        path_in_checkout: Where a file is for who shows the log, relative to the checkout.
    """
    rules = _rules(view)
    codes = [rule["id"] for rule in rules]
    results = [
        *(_result(row, codes, path_in_checkout) for row in view.rows),
        *(_warning(warned, codes, path_in_checkout) for warned in view.warned),
    ]
    driver = {"name": "tbprof", "version": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(view)],
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(view: CheckView) -> Json:
    """Whether all could be judged that was asked for, what could not, and what else fails."""
    unjudged = [*view.unjudged, *(row.text for row in view.gates if row.found is None)]
    failing = [row.text for row in view.gates if row.fails]
    notes = [{"level": "error", "message": {"text": sentence}} for sentence in (*unjudged, *failing)]
    return {"executionSuccessful": not unjudged, "toolExecutionNotifications": notes}


def _rules(view: CheckView) -> list[Json]:
    """The rules that found something, once each."""
    texts = {row.found.rule: (row.found.title, row.found.fix) for row in view.rows}
    found = {
        code: {**_rule(code, title), "help": {"text": fix or title}} for code, (title, fix) in texts.items()
    }
    only_warned = {
        warned.rule: _rule(warned.rule, warned.text) for warned in view.warned if warned.rule not in found
    }
    return [*found.values(), *only_warned.values()]


def _rule(code: str, title: str) -> Json:
    return {"id": code, "shortDescription": {"text": title}, "helpUri": rule_address(code)}


def _result(
    row: CheckRow,
    codes: Sequence[str],
    path_in_checkout: Callable[[str], str],
) -> Json:
    found = row.found
    text = found_sentence(found.title, found.remedy, found.often, predicted=found.predicted)
    level = "error" if row.fails else "note" if row.state in ("accepted", "suppressed") else "warning"
    result = {
        **_head(found.rule, codes, level, text),
        "locations": _locations(found.file, found.line, path_in_checkout),
        "partialFingerprints": {FINGERPRINT: found.fingerprint},
        "properties": {"perStep": found.per_step, "predicted": found.predicted, "kind": found.kind},
    }
    if row.state in _BASELINE_STATES:
        result["baselineState"] = _BASELINE_STATES[row.state]
    if row.state in ("accepted", "suppressed"):
        kind = "inSource" if row.state == "suppressed" else "external"
        result["suppressions"] = [{"kind": kind, "justification": row.reason}]
    return result


def _warning(warned: Warned, codes: Sequence[str], path_in_checkout: Callable[[str], str]) -> Json:
    head = _head(warned.rule, codes, "warning", warned.text)
    return {**head, "locations": _locations(warned.file, warned.line, path_in_checkout)}


def _head(rule: str, codes: Sequence[str], level: str, text: str) -> Json:
    return {"ruleId": rule, "ruleIndex": codes.index(rule), "level": level, "message": {"text": text}}


def _locations(file: str, line: int | None, path_in_checkout: Callable[[str], str]) -> list[Json]:
    if not file:
        return []
    place: Json = {"artifactLocation": _artifact(path_in_checkout(file))}
    if line is not None:
        place["region"] = {"startLine": max(line, 1)}
    return [{"physicalLocation": place}]


def _artifact(path: str) -> Json:
    """A relative reference below the checkout, or the address of a file elsewhere."""
    path = path.replace("\\", "/")
    if path.startswith("/"):
        return {"uri": f"file://{quote(path)}"}
    if path[1:3] == ":/":
        return {"uri": f"file:///{quote(path, safe='/:')}"}
    return {"uri": quote(path), "uriBaseId": "%SRCROOT%"}
