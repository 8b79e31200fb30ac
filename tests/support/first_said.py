"""What is said first of a recording that was built."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.views.opening import Opening, opening_of


def said_of(built: TraceBuilder) -> tuple[str, Opening]:
    """The case, and the opening with plain spaces."""
    report = built.report()
    assert report.verdict is not None
    opening = opening_of(report)
    texts = (opening.verdict, opening.detail, opening.action)
    return report.verdict.case, Opening(*(text.replace("\N{NARROW NO-BREAK SPACE}", " ") for text in texts))


def rules_of(built: TraceBuilder) -> list[str]:
    """The rules with a finding of medium or more, worst first."""
    return [one.rule for one in built.report().findings if one.severity not in ("low", "info")]
