"""A prediction as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.preflight.document import LABEL
from tbprof.preflight.prediction import PredictedFinding, PredictedSite, Prediction

__all__ = ["text"]

KIND_NAMES = {
    "scalar_read": "scalar read",
    "control_flow": "control flow",
    "dynamic_shape": "dynamic shape",
    "host_read": "read to host",
    "upload": "upload",
    "synchronise": "explicit synchronise",
    "race": "race on a non_blocking read",
    "device_mismatch": "device mismatch: would raise on a GPU",
}


def text(prediction: Prediction) -> str:
    """The findings, the worst first, then what was left out and how the program ended."""
    return "\n".join(_lines(prediction)) + "\n"


def _lines(prediction: Prediction) -> Iterator[str]:
    warm = sum(not step.cold for step in prediction.steps)
    yield f"{prediction.program or 'preflight'}: {LABEL} (torch {prediction.torch_version}, {_steps(warm)})"
    shown = [finding for finding in prediction.findings if finding.suppressed is None]
    for finding in shown:
        yield ""
        yield from _finding(finding, prediction.sites[finding.site])
    yield ""
    yield _summary(prediction, len(shown))
    yield from (f"Note: {note}." for note in prediction.notes)
    if prediction.error:
        yield f"The run ended early: {prediction.error}"


def _steps(warm: int) -> str:
    return "1 step" if warm == 1 else f"{warm} steps"


def _finding(finding: PredictedFinding, site: PredictedSite) -> Iterator[str]:
    source = site.source
    yield f"{source.file}:{source.line} in {source.function}  {KIND_NAMES[site.kind]}  [{finding.rule}]"
    yield f"    {_facts(finding, site)}"
    if site.called_at:
        lines = " and ".join(f"{caller.file}:{caller.line} in {caller.function}" for caller in site.called_at)
        yield f"    in {site.library}, called at {lines}"
    if site.via is not None:
        yield f"    through {site.via.file}:{site.via.line} in {site.via.function}"
    yield f"    {finding.fix}"


def _facts(finding: PredictedFinding, site: PredictedSite) -> str:
    """How often, and what is known of the copy."""
    most = max(site.per_step)
    facts = [f"{most} a step, in every step" if finding.every_step else _seldom(site)]
    if site.direction:
        facts.append(f"{site.bytes // site.count} B each")
    if site.memory:
        facts.append(site.memory)
    if site.non_blocking is not None:
        facts.append("non_blocking" if site.non_blocking else "blocking")
    if site.is_constant:
        facts.append("the same bytes each time")
    if site.made_by is not None:
        facts.append(f"made by {site.made_by}")
    return ", ".join(facts)


def _seldom(site: PredictedSite) -> str:
    return f"{site.count} times, not in every step"


def _summary(prediction: Prediction, shown: int) -> str:
    suppressed = len(prediction.findings) - shown
    with_finding = {finding.site for finding in prediction.findings}
    others = sum(1 for at, site in enumerate(prediction.sites) if at not in with_finding and site.blocking)
    parts = [f"{shown} findings, at most {prediction.syncs_per_step} sync points in a step"]
    if suppressed:
        parts.append(f"{suppressed} suppressed")
    if others:
        parts.append(f"{others} lines wait outside the steps only")
    return "; ".join(parts) + "."
