"""SARIF that code hosts take: valid by its schema, with names that outlive edits."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from check_samples import FOUND, accepted, answer, found, recording

from tbprof.views.check import Budget, CheckView, Warned
from tbprof.views.sarif import FINGERPRINT, sarif_log

SCHEMA = Path(__file__).parents[2] / "data" / "sarif-schema-2.1.0.json"

STATES = answer(
    recording(
        FOUND,
        found(fingerprint="a", rule="CPY05", file="", line=None, function=""),
        found(fingerprint="b", line=None, predicted=True),
        found(fingerprint="c", suppressed="once"),
        found(fingerprint="d", per_step=5),
        found(fingerprint="e", file="C:\\work\\a b.py"),
        found(fingerprint="f", file="/opt/lib/ü.py"),
        warned=(
            Warned("LCH01", "high", "The kernels are short", "", None),
            Warned("SYN01", "low", "x", "a", 1),
        ),
    ),
    baseline=[accepted(), accepted(found(fingerprint="d"))],
    forbidden=["SYN"],
)
"""Everything that a result can be."""


UNJUDGED = answer(recording(gap="w.json is cut off"), budgets=[Budget("idle", 1)])


def log_of(view: CheckView) -> dict[str, Any]:
    return sarif_log(view, lambda file: file)


def results(view: CheckView) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = log_of(view)["runs"][0]["results"]
    return shown


@pytest.mark.parametrize(
    "view",
    [STATES, answer(recording()), answer(), UNJUDGED],
    ids=["all", "clean", "nothing", "unjudged"],
)
def test_it_is_valid(view: CheckView) -> None:
    if os.environ.get("TBPROF_REQUIRE_TOOLS") != "1":
        pytest.importorskip("jsonschema", reason="needs jsonschema: pip install 'tbprof[test]'")
    import jsonschema

    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(json.loads(json.dumps(log_of(view))))


def test_what_could_not_be_judged_is_a_notification() -> None:
    (fine,) = log_of(answer(recording()))["runs"][0]["invocations"]
    assert fine["executionSuccessful"]
    (invocation,) = log_of(UNJUDGED)["runs"][0]["invocations"]
    said = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert not invocation["executionSuccessful"]
    assert said == [
        "w.json is cut off",
        "idle was not recorded in w.1.trace.json.gz: the budget can't be judged",
    ]


def test_a_result_has_its_line_and_its_fingerprint() -> None:
    (result,) = results(answer(recording(FOUND)))
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 12}
    assert result["partialFingerprints"] == {FINGERPRINT: FOUND.fingerprint}


def test_its_rule_is_described_once() -> None:
    log = log_of(answer(recording(FOUND, found(fingerprint="b"))))
    (rule,) = log["runs"][0]["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("SYN01", FOUND.title)
    assert {result["ruleIndex"] for result in log["runs"][0]["results"]} == {0}


def test_what_fails_the_build_is_an_error_and_the_rest_is_less() -> None:
    both = recording(FOUND, found(fingerprint="b"))
    shown = results(answer(both, baseline=[accepted()], forbidden=["new"]))
    assert [(result["level"], result["baselineState"]) for result in shown] == [
        ("error", "new"),
        ("note", "unchanged"),
    ]
    assert results(answer(recording(FOUND)))[0]["level"] == "warning"


def test_suppressions_say_where_they_stand_and_why() -> None:
    baseline = [accepted(found(fingerprint="b"), reason="read once")]
    shown = results(answer(recording(found(suppressed="once"), found(fingerprint="b")), baseline=baseline))
    told = {result["suppressions"][0]["kind"]: result["suppressions"][0]["justification"] for result in shown}
    assert told == {"inSource": "once", "external": "read once"}


@pytest.mark.parametrize(
    ("file", "location"),
    [
        ("a b/ü%.py", {"uri": "a%20b/%C3%BC%25.py", "uriBaseId": "%SRCROOT%"}),
        ("models\\net.py", {"uri": "models/net.py", "uriBaseId": "%SRCROOT%"}),
        ("/opt/lib.py", {"uri": "file:///opt/lib.py"}),
        ("C:\\lib\\x.py", {"uri": "file:///C:/lib/x.py"}),
    ],
)
def test_files_are_addresses(file: str, location: dict[str, str]) -> None:
    (result,) = results(answer(recording(found(file=file))))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == location


def test_a_line_that_was_predicted_says_so() -> None:
    (result,) = results(answer(recording(found(predicted=True))))
    assert "predicted, no GPU was used" in result["message"]["text"]
