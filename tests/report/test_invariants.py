"""What holds of the figures of every report, of sound recordings and of those that deny themselves."""

from __future__ import annotations

import copy
import gzip
import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tbprof.model import Report, Saving
from tbprof.report import build_report

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"
SOURCES = {
    "classifier": "classifier_0_before_h200/patch-0-before.pt.trace.json.gz",
    "transformer": "h100_transformer_clean/dc3b_3169006.pt.trace.json.gz",
    "bert": "h100_bert_small_infer/h100_bert_small.json.gz",
    "mi300": "mi300_bert_small_infer/mi300_bert_small.json.gz",
}
GPU = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver", "hip_runtime")

Events = list[dict[str, Any]]
Damage = Callable[[Events, random.Random], None]


def of(events: Events, *categories: str) -> Events:
    return [event for event in events if event.get("ph") == "X" and event.get("cat") in categories]


def marked(events: Events) -> Events:
    return [one for one in of(events, "user_annotation") if one["name"].startswith("ProfilerStep#")]


def waits(events: Events) -> Events:
    return [call for call in of(events, *CALLS) if "ync" in call["name"] or "emcpy" in call["name"]]


def lengthen(events: Events, factor: float) -> None:
    for event in events:
        event["dur"] *= factor


def move(events: Events, by_us: float) -> None:
    for event in events:
        event["ts"] += by_us


def exchange_launches(events: Events, chance: random.Random) -> None:
    rows = [row for row in of(events, *GPU) if "correlation" in row["args"]]
    numbers = [row["args"]["correlation"] for row in rows]
    chance.shuffle(numbers)
    for row, number in zip(rows, numbers, strict=True):
        row["args"]["correlation"] = number


def let_the_clock_drift(events: Events, _: random.Random) -> None:
    first = min(float(row["ts"]) for row in of(events, *GPU))
    for row in of(events, *GPU):
        row["ts"] = first + (row["ts"] - first) * 1.5


def name_collectives(events: Events, chance: random.Random) -> None:
    for row in of(events, "kernel"):
        if chance.random() < 0.5:
            row["name"] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"


def enlarge_shapes(events: Events, _: random.Random) -> None:
    for op in of(events, "cpu_op"):
        shapes = op["args"].get("Input Dims")
        if isinstance(shapes, list):
            op["args"]["Input Dims"] = [
                [size * 1000 if isinstance(size, int) else size for size in shape] for shape in shapes
            ]


def overlap_rows(events: Events, _: random.Random) -> None:
    for row in of(events, "kernel"):
        row["args"]["stream"] = row["tid"] = 7
        row["dur"] *= 3


def lose_half(events: Events, chance: random.Random) -> None:
    events[:] = [event for event in events if chance.random() < 0.5]


def wait_in_many_threads(events: Events, _: random.Random) -> None:
    events += [{**call, "tid": 5000 + thread} for call in waits(events) for thread in range(6)]


def nest_steps(events: Events, _: random.Random) -> None:
    for step in marked(events)[:1]:
        events.append({**step, "ts": step["ts"] + 1, "dur": step["dur"] / 2, "name": "ProfilerStep#999"})
        events.append({**step, "ts": step["ts"] - 10, "dur": 1e7, "name": "ProfilerStep#0"})


DAMAGES: dict[str, Damage] = {
    "none": lambda _events, _chance: None,
    "launches": exchange_launches,
    "doubled": lambda events, _: events.extend(copy.deepcopy(events)),
    "steps_without_length": lambda events, _: lengthen(marked(events), 0),
    "steps_before_they_began": lambda events, _: lengthen(marked(events), -1),
    "short_steps": lambda events, _: lengthen(marked(events), 1e-4),
    "nested_steps": nest_steps,
    "long_kernels": lambda events, _: lengthen(of(events, "kernel"), 1000),
    "long_waits": lambda events, _: lengthen(waits(events), 1000),
    "waits_of_many_threads": wait_in_many_threads,
    "nothing_takes_time": lambda events, _: lengthen(of(events, *GPU, *CALLS, "cpu_op"), 0),
    "far_clock": lambda events, _: move(of(events, *GPU), 1e8),
    "early_clock": lambda events, _: move(of(events, *GPU), -5000),
    "drift": let_the_clock_drift,
    "collectives": name_collectives,
    "shapes": enlarge_shapes,
    "overlap": overlap_rows,
    "lost": lose_half,
}

FEW = [
    *[("classifier", name) for name in ("none", "launches", "doubled", "long_waits", "far_clock")],
    *[("transformer", name) for name in ("none", "drift", "shapes", "collectives", "steps_without_length")],
]
"""The rest is looked at with more time."""


def damaged(source: str, damage: str, seed: int) -> bytes:
    document = json.loads(gzip.decompress((SAMPLES / SOURCES[source]).read_bytes()))
    DAMAGES[damage](document["traceEvents"], random.Random(seed))
    return json.dumps(document).encode()


@pytest.mark.parametrize(("source", "damage"), FEW)
def test_figures_are_possible(source: str, damage: str, tmp_path: Path) -> None:
    look_at(source, damage, 0, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("source", SOURCES)
def test_figures_of_all_damages_are_possible(source: str, damage: str, tmp_path: Path) -> None:
    for seed in range(3):
        look_at(source, damage, seed, tmp_path)


def look_at(source: str, damage: str, seed: int, folder: Path) -> None:
    path = folder / f"{source}.{seed}.pt.trace.json"
    path.write_bytes(damaged(source, damage, seed))
    report = build_report(path)
    assert report.failed_rules == ()
    assert list(impossible(report)) == []


def impossible(report: Report) -> Iterator[str]:
    """Each figure that nothing recorded can have."""
    yield from _steps(report)
    yield from _savings(report)
    yield from _idle(report)
    yield from _waits(report)
    yield from _computing(report)
    for fact in report.trace.health:
        yield from (f"{fact.code}: {name} is {value}" for name, value in _shares(fact.numbers))
    for found in (*report.findings, *report.checks):
        yield from (f"{found.rule}: {name} is {value}" for name, value in _shares(found.numbers()))
    if report.verdict is not None:
        yield from (f"verdict: {name} is {value}" for name, value in _shares(report.verdict.numbers()))


def _shares(numbers: Any) -> Iterator[tuple[str, float]]:
    for name, value in numbers.items():
        if isinstance(value, float) and not math.isfinite(value):
            yield name, value
        if name.endswith("share") and not 0 <= value <= 1:
            yield name, value


def _steps(report: Report) -> Iterator[str]:
    devices = 1 if report.idle is None else len(report.idle.by_device)
    for step in report.steps:
        if step.duration_ns <= 0 or step.length_ns < bool(step.launches):
            yield f"{step.name} takes {step.duration_ns}, {step.length_ns} ns"
        parts = (step.computing_ns, step.communication_exposed_ns, step.copying_ns, step.device_idle_ns)
        known = [part for part in parts if part is not None]
        if known and sum(known) != devices * step.length_ns:
            yield f"{step.name}: {known} are not {devices} times {step.length_ns}"
        if step.host is not None and not 0 <= _host_ns(step.host) <= step.duration_ns:
            yield f"{step.name}: {step.host} in {step.duration_ns}"


def _host_ns(host: Any) -> int:
    return int(host.waiting_ns + host.loading_ns + host.launching_ns)


def _savings(report: Report) -> Iterator[str]:
    window_ns = report.window_ns
    found = [(finding.rule, finding.saving, window_ns) for finding in report.findings]
    found += [(step.name, step.saving, step.duration_ns) for step in report.steps]
    for name, saving, most_ns in found:
        if saving is not None and not _is_in_order(saving, most_ns):
            yield f"{name} saves {saving} of {most_ns}"
    if report.fix_plan and report.fix_plan[-1].ceiling_ns > window_ns:
        yield f"the plan saves {report.fix_plan[-1]}"


def _is_in_order(saving: Saving, most_ns: int) -> bool:
    estimate_ns = saving.floor_ns if saving.estimate_ns is None else saving.estimate_ns
    return 0 <= saving.floor_ns <= estimate_ns <= saving.ceiling_ns <= most_ns


def _idle(report: Report) -> Iterator[str]:
    if report.idle is None:
        return
    total = report.idle.total
    for name, one in {"all": total, **report.idle.by_device}.items():
        if not one.empty_ns + one.queued_ns == sum(one.by_cause.values()) == one.device_ns:
            yield f"idle of {name}: {one}"
        if name != "all" and one.device_ns > report.window_ns:
            yield f"{name} is idle {one.device_ns} of {report.window_ns}"
    if sum(step.device_idle_ns or 0 for step in report.steps) != total.device_ns:
        yield "idle of the steps is not that of the window"


def _waits(report: Report) -> Iterator[str]:
    points = report.sync_points
    if not 0 <= points.explained_ns <= points.wait_ns == points.wait_in_copy_ns + points.wait_in_sync_ns:
        yield f"{points}"
    if sum(site.wait_ns for site in report.sites) != points.wait_ns + (points.not_blocking_ns or 0):
        yield "waits of the sites are not those of the window"


def _computing(report: Report) -> Iterator[str]:
    found = report.computing
    if found is None:
        return
    if not 0 <= found.uncovered_share <= 1 or not 0 <= (found.mfu or 0) <= 1:
        yield f"uncovered {found.uncovered_share}, utilization {found.mfu}"
    for part in (found, *found.parts):
        if not 0 <= (part.limit_ns or 0) <= part.covered_ns <= part.device_ns:
            yield f"{part.limit_ns} of {part.covered_ns} of {part.device_ns}"
