"""Figures of rules: stored by name, read back, and never silent about what they are not."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import pytest

from tbprof.model import Figures, Remedy
from tbprof.rules.files import rule_files
from tbprof.rules.settings.words import Deterministic
from tbprof.rules.sync.words import LoopReads, NanChecks
from tbprof.rules.trace_health.words import BeforeFirstWork, FirstCalls
from tbprof.rules.words import (
    OTHER_VERSION,
    OtherVersion,
    found_figures,
    found_record,
    looked_at_figures,
    looked_at_record,
    remedy_of,
)
from tbprof.texts.figures.places import name_words, scope_of

STEP = scope_of(marks_steps=True)
CODES = [file.code for file in rule_files() if found_record(file.code) is not None]


def filled(record: type[Figures], *, known: bool) -> Figures:
    """With something in each field; what may be None is that unless it is `known`."""
    values: dict[str, object] = {}
    for name, kind in record.__annotations__.items():
        kind, _, optional = kind.partition(" | ")
        if optional and not known:
            continue
        plain = {"int": 3, "float": 0.5, "str": "a `b`", "bool": True}
        inner = getattr(import_module(record.__module__), kind, None)
        values[name] = plain[kind] if inner is None else filled(inner, known=known)
    return record(**values)  # type: ignore[call-arg]


def faults_of(code: str, *, known: bool) -> Iterator[str]:
    """What figures of a rule do not keep, or say with marks that only a terminal shows."""
    for declared, read in ((found_record, found_figures), (looked_at_record, looked_at_figures)):
        record = declared(code)
        assert record is not None, code
        figures = filled(record, known=known)
        if not figures.numbers() and read is looked_at_figures:
            continue
        if read(code, figures.numbers()) != figures:
            yield f"{code}: {figures} is not read as it was"
        sentence, plain = figures.sentence(STEP), figures.in_words(name_words).sentence(STEP)
        if not isinstance(sentence, str) or "`b`" in plain:
            yield f"{code}: {sentence}"


def test_figures_of_every_rule_come_back_as_they_were() -> None:
    assert [
        fault for code in CODES for known in (False, True) for fault in faults_of(code, known=known)
    ] == []


@pytest.mark.parametrize(
    "stored", [{}, {"times": 7}, {"per_step": 7, "times": 1}, {"per_step": "7"}, {"per_step": 7.5}]
)
def test_figures_of_another_version_say_so(stored: dict[str, int | float | str]) -> None:
    figures = found_figures("SYN05", stored)
    assert figures == OtherVersion(stored)
    assert figures.numbers() == stored
    assert figures.sentence(STEP) == OTHER_VERSION


def test_a_rule_of_another_version_keeps_its_figures() -> None:
    assert found_figures("XYZ99", {"hint": "x", "n": 1}) == OtherVersion({"n": 1})
    assert looked_at_figures("XYZ99", {"n": 1}) == OtherVersion({"n": 1})
    assert looked_at_figures("DEV01", {"n": 1}) == OtherVersion({"n": 1})


def test_what_is_not_known_is_not_stored() -> None:
    assert NanChecks("anomaly").numbers() == {"kind": "anomaly"}
    assert found_figures("SYN12", {"kind": "anomaly"}) == NanChecks("anomaly")


def test_fields_of_a_group_are_all_there_or_none() -> None:
    cold = FirstCalls(1, 2, 3, 4, 5, before=BeforeFirstWork(6, 7))
    assert found_figures("TRC01", cold.numbers()) == cold
    half = {name: value for name, value in cold.numbers().items() if name != "recording_ns"}
    assert found_figures("TRC01", half) == OtherVersion(half)


def test_a_name_that_is_none_in_python_is_stored_as_it_is_called() -> None:
    known = Deterministic.of({"cudnn.deterministic": "True"})
    assert known.numbers() == {"cudnn.deterministic": "True"}
    assert looked_at_figures("ENV01", known.numbers()) == known
    assert known.sentence(STEP) == "cudnn.deterministic is True."


def test_a_remedy_lies_beside_the_figures() -> None:
    known: dict[str, int | float | str] = {
        "hint": "lightning_log",
        "used_at_once": 1,
        "fixed_as": "CPY03",
        "graphed_in": "decoder",
        "origin": "operator aten::conv2d",
    }
    assert known.keys() == Remedy.__annotations__.keys()
    stored = {"per_step": 7, **known}
    remedy = remedy_of(stored)
    assert remedy == Remedy(
        "lightning_log", True, fixed_as="CPY03", graphed_in="decoder", origin="operator aten::conv2d"
    )
    assert {**found_figures("SYN05", stored).numbers(), **remedy.numbers()} == stored


def test_shares_are_brought_within_a_whole() -> None:
    blocking = import_module("tbprof.rules.sync.words").BlockingLaunches
    assert [blocking(share).with_bounded_shares().share for share in (-0.1, 0.5, 1.2)] == [0.0, 0.5, 1.0]
    assert LoopReads(7).with_bounded_shares() == LoopReads(7)


def test_a_record_does_not_change() -> None:
    with pytest.raises(AttributeError):
        LoopReads(7).per_step = 8  # type: ignore[misc]
