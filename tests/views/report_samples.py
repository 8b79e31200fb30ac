"""A small report with every kind of record in it, and what a test changes of it."""

from __future__ import annotations

import dataclasses
from typing import Any

from stored_verdicts import stored_verdict

from tbprof.model import (
    CodeShare,
    CopyTotal,
    DeviceIdle,
    Evidence,
    FailedRule,
    Finding,
    HealthFact,
    HookFacts,
    Idle,
    IdlePlace,
    Instance,
    NotChecked,
    PlanRow,
    RecordedCall,
    Report,
    Saving,
    Savings,
    Site,
    Source,
    Span,
    Step,
    SyncTotals,
    TraceSummary,
)
from tbprof.rules.sync.words import ScalarReads


def step(number: int, duration_ns: int, *, cold: bool = False) -> Step:
    return Step(
        name=f"ProfilerStep#{number}",
        start_ns=number * 10_000_000,
        duration_ns=duration_ns,
        cold=cold,
        sync_points=1,
        wait_ns=1_500,
        device_idle_ns=2_000_001,
        idle_empty_ns=None,
        gpu_lag_ns=0,
    )


READ = Span("copy_call", "cudaMemcpyAsync", 12_000_000, 40_000)
SITE = Site(
    direction="DtoH",
    memory="pinned",
    calls=("cudaMemcpyAsync", "cudaStreamSynchronize"),
    ops=("aten::_local_scalar_dense", "aten::item"),
    source=Source("train.py", 12, "train_one_epoch", exact=False, candidates=(14, 17)),
    label="loss",
    module="nn.Module: Head",
    count=2,
    blocking=2,
    per_step=(0, 1, 1),
    bytes=8,
    wait_ns=3_000,
    wait_net_ns=2_500,
    explained_ns=2_400,
    starve_ns=1_000,
    instance=Instance(step=1, host=(READ,), device=(Span("kernel", "", 12_000_000, 39_999),), op=None),
)
UPLOAD = dataclasses.replace(SITE, direction="HtoD", source=None, label=None, module=None, instance=None)

REPORT = Report(
    trace=TraceSummary(
        path="logs/run/w.1.trace.json.gz",
        worker="w",
        rank=3,
        world_size=None,
        devices=("NVIDIA H100", "NVIDIA H100"),
        era="2024+",
        span_ns=30_000_123,
        num_events=812,
        health=(
            HealthFact("cold_steps", "info", {"cold": 1, "steps": 3}),
            HealthFact("gpu_before_launch", "warning", {"rows": 2, "worst_ns": 48_500}),
        ),
    ),
    steps=(step(1, 9_000_000, cold=True), step(2, 3_000_000), step(3, 5_000_000)),
    sync_points=SyncTotals(2, 3_000, 1_000, 2_000, 2_400, profiler_own_ns=(158_000_000,)),
    copies=(CopyTotal("DtoH", "pinned", 2, 8, 2),),
    sites=(SITE, UPLOAD),
    idle=Idle(
        total=DeviceIdle(4_000_002, 3_000_000, 1_000_002, {"sync": 2_000_000}),
        by_device={"0": DeviceIdle(2_000_001, 1_500_000, 500_001, {})},
        places=(IdlePlace("sync", 2_000_500, "loss", site=0, drained_by=None),),
    ),
    code=(CodeShare("label", "loss", host_ns=4_500, device_ns=1_000, launches=2),),
    savings=Savings(1_000, None, 2_000, calibrated=False, replay_error=0.012),
    findings=(
        Finding(
            rule="SYN01",
            severity="high",
            sites=(0,),
            steps=(1, 2),
            count=2,
            removal="defer",
            saving=Saving(1_000, 1_500, 2_000),
            confidence="high",
            evidence=(Evidence("wait", 12_000_000, 40_000, None, 77),),
            figures=ScalarReads(bytes=8),
            fingerprint="0123456789abcdef",
        ),
    ),
    fix_plan=(PlanRow(0, 1_500, 1_500, 2_000),),
    verdict=stored_verdict("no_device", {}),
    not_checked=(NotChecked("CPY01", "shapes"),),
    failed_rules=(FailedRule("SYN04", "ValueError: x"),),
    recorded_calls=(RecordedCall("train.py", 14, "train_one_epoch", "item", 3, ("cuda:0",), None, False),),
    facts=HookFacts(
        schema=1,
        tbprof_version="0.1.0",
        torch_version="2.9.0",
        cuda_version="12.8",
        driver_version=None,
        device_names=("NVIDIA H100",),
        worker="w",
        rank=3,
        world_size=None,
        window=0,
        first_step=12,
        recorded_steps=3,
        options={"with_stack": True, "record_shapes": False},
        unprofiled_step_ns=2_900_500,
        profiled_step_ns=None,
    ),
)


def changed(**fields: Any) -> Report:
    """The report with other values in these fields."""
    return dataclasses.replace(REPORT, **fields)
