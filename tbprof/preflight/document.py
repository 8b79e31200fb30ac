"""A prediction as JSON: the object of a trace's report, with null for all that only a GPU knows.

Keys of its own: `predicted` (true), `preflight` (how the run went); of a step nothing; of a site `kind`,
`code`, `via`, `called_at`, `derivative_of`, `same_mask_as`, `call`, `per_warm_step`, `ran_in`,
`least_bytes`, `most_bytes`, `pinned`, `non_blocking`, `constant`, `made_by`, `known`; of a finding `kind`,
`every_step`, `fix`, `suppressed`.
Where nothing took a step the one step is `window`. `loops` are those whose lines wait together: `source` is
the first line of one, `findings` those of its lines.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, TypeAlias

from tbprof.line_rules import LOOP_RULE
from tbprof.model import Source
from tbprof.preflight.prediction import PredictedFinding, PredictedLoop, PredictedSite, Prediction
from tbprof.version import __version__

SCHEMA = 1
"""The schema of the report of a trace."""

Json: TypeAlias = dict[str, Any]

LABEL = "predicted, no GPU was used"

_COUNTED = ("count", "bytes", "blocking")


def document(prediction: Prediction) -> Json:
    """The one object of `tbprof preflight --format json`."""
    return {
        "schema": SCHEMA,
        "predicted": True,
        "label": LABEL,
        "trace": None,
        "preflight": _run(prediction),
        "steps": [_step(prediction, index) for index in range(len(prediction.steps))],
        "sync_points": _sync_points(prediction.sites),
        "copies": _copies(prediction.sites),
        "sites": [_site(site) for site in prediction.sites],
        "idle": None,
        "code": [],
        "savings": None,
        "findings": [_finding(prediction, finding) for finding in prediction.findings],
        "fix_plan": [],
        "verdict": None,
        "not_checked": [],
        "failed_rules": [],
        "recorded_calls": [],
        "loops": [_loop(loop) for loop in prediction.loops],
    }


def _loop(loop: PredictedLoop) -> Json:
    members = {field.name: getattr(loop, field.name) for field in dataclasses.fields(loop)}
    lists = {"lines": list(loop.lines), "findings": list(loop.findings)}
    return {**members, **lists, "rule": LOOP_RULE, "source": _source(loop.source)}


def _run(prediction: Prediction) -> Json:
    return {
        "program": prediction.program,
        "tbprof_version": __version__,
        "torch_version": prediction.torch_version,
        "ending": prediction.ending,
        "error": prediction.error,
        "notes": list(prediction.notes),
        "used_device": prediction.used_device,
    }


def _step(prediction: Prediction, index: int) -> Json:
    step = prediction.steps[index]
    blocking = sum(site.per_step[index] for site in prediction.sites if site.blocking)
    unknown = ("start_us", "duration_us", "wait_us", "device_idle_us", "idle_empty_us", "gpu_lag_us")
    return {"name": step.name, "cold": step.cold, "sync_points": blocking, **dict.fromkeys(unknown)}


def _sync_points(sites: Iterable[PredictedSite]) -> Json:
    unknown = ("wait_us", "wait_in_copy_us", "wait_in_sync_us", "explained_us")
    return {"count": sum(site.blocking for site in sites), **dict.fromkeys(unknown), "profiler_own_us": []}


def _copies(sites: Iterable[PredictedSite]) -> list[Json]:
    totals: dict[tuple[str, str], Json] = {}
    for site in sites:
        if site.direction:
            place = {"direction": site.direction, "memory": site.memory}
            nothing = dict.fromkeys(_COUNTED, 0)
            total = totals.setdefault((site.direction, site.memory), {**place, **nothing})
            for name in _COUNTED:
                total[name] += getattr(site, name)
    return list(totals.values())


def _site(site: PredictedSite) -> Json:
    unknown = ("label", "module", "wait_us", "wait_net_us", "explained_us", "starve_us")
    members = {field.name: getattr(site, field.name) for field in dataclasses.fields(site)}
    return {
        **members,
        "source": _source(site.source),
        "via": None if site.via is None else _source(site.via),
        "callers": [_source(caller) for caller in site.callers],
        "called_at": [_source(caller) for caller in site.called_at],
        "derivative_of": [_source(line) for line in site.derivative_of],
        "same_mask_as": [_source(line) for line in site.same_mask_as],
        "ops": list(site.ops),
        "per_step": list(site.per_step),
        "calls": [],
        "pinned": {"pinned": True, "pageable": False}.get(site.memory),
        **dict.fromkeys(unknown),
    }


def _source(source: Source) -> Json:
    return {**dataclasses.asdict(source), "candidates": list(source.candidates)}


def _finding(prediction: Prediction, finding: PredictedFinding) -> Json:
    site = prediction.sites[finding.site]
    return {
        "rule": finding.rule,
        "kind": site.kind,
        "severity": finding.severity,
        "sites": [finding.site],
        "steps": list(finding.steps),
        "count": site.count,
        "removal": None,
        "saving": None,
        "confidence": "high" if site.known == "seen" else "medium",
        "evidence": [],
        "numbers": {"per_step": site.per_warm_step, "bytes": site.bytes},
        "every_step": finding.every_step,
        "fix": finding.fix,
        "fingerprint": finding.fingerprint,
        "suppressed": finding.suppressed,
    }
