"""Switches of torch and variables of the environment that the hook recorded, and findings about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Severity
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import LooksAt
from tbprof.rules.settings.words import Setting, Settings

UNMEASURED = "only a recording with the other setting tells what it costs"


def settings(facts: Facts) -> Mapping[str, str]:
    """The settings by torch's names, as text; none without the hook."""
    return {} if facts.trace.facts is None else facts.trace.facts.settings


def device_variables(facts: Facts) -> Mapping[str, str]:
    """The variables of the environment that are set and concern a device; none without the hook or a
    device.
    """
    if facts.trace.facts is None or not facts.work.devices:
        return {}
    return facts.trace.facts.environment


def switch_finding(rule: str, name: str, value: str, *, severity: Severity = "low") -> Finding:
    """A finding about a switch that stands as it should not; nothing in the trace says what that costs."""
    return window_finding(
        rule,
        place=name,
        severity=severity,
        count=1,
        removal="rewrite",
        saving=None,
        confidence="high",
        evidence=(),
        figures=Setting(name, value),
    )


def as_it_should_be(read: Callable[[Facts], Mapping[str, str]], record: type[Settings]) -> LooksAt:
    """The switches that were looked at, with how they stand; nothing to judge where none of them is known."""

    def looked_at(facts: Facts) -> Settings | None:
        known = read(facts)
        if read is device_variables:
            unset = dict.fromkeys(record.names(), "not set")
            return record.of({**unset, **known}) if facts.work.devices else None
        return record.of(known) if any(name in known for name in record.names()) else None

    return looked_at
