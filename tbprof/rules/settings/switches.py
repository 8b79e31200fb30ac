"""Switches of torch and variables of the environment that the hook recorded, and findings about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Numbers, Severity
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Passing
from tbprof.texts.figures.places import Scope

UNMEASURED = "only a recording with the other setting tells what it costs"


def settings(facts: Facts) -> Mapping[str, str]:
    """By torch's names, as text; none without the hook."""
    return {} if facts.trace.facts is None else facts.trace.facts.settings


def device_variables(facts: Facts) -> Mapping[str, str]:
    """Those of the environment that are set and concern a device; none without the hook or a device."""
    if facts.trace.facts is None or not facts.work.devices:
        return {}
    return facts.trace.facts.environment


def switch_finding(rule: str, name: str, value: str, *, severity: Severity = "low") -> Finding:
    """That a switch stands as it should not; nothing of the trace says what that costs."""
    return window_finding(
        rule,
        place=name,
        severity=severity,
        count=1,
        removal="rewrite",
        saving=None,
        confidence="high",
        evidence=(),
        numbers={"place": name, "value": value},
    )


def as_it_should_be(read: Callable[[Facts], Mapping[str, str]], *names: str) -> Passing:
    """That switches were looked at, with how they stand; nothing to judge where none of them is known."""

    def looked_at(facts: Facts) -> Numbers | None:
        known = read(facts)
        if read is not device_variables:
            return {name: known[name] for name in names if name in known} or None
        if not facts.work.devices:
            return None
        return {name: known.get(name, "not set") for name in names}

    def note(numbers: Numbers, _: Scope) -> str:
        stands = (f"{name} is {numbers[name]}" for name in names if name in numbers)
        return f"{'; '.join(stands)}."

    return Passing(looked_at, note)
