"""The nouns of tbprof: frozen records that every layer shares; no I/O.

Times are integer nanoseconds and end in `_ns`, sizes are bytes and end in `_bytes`.
Instants in a report count from the first event of its trace. What was not recorded or
not computed is None, never 0. How each of them is counted stands where it is computed,
in `tbprof.analysis`.
"""

from __future__ import annotations

from tbprof.model.findings import (
    SEVERITIES,
    Evidence,
    FailedRule,
    Finding,
    NotChecked,
    PlanRow,
    Removal,
    Severity,
    Verdict,
)
from tbprof.model.naming import disambiguated, fingerprint, suppression
from tbprof.model.recorded import (
    DEVICE,
    FACTS_SCHEMA,
    HOST,
    MADE_ON_HOST,
    UNKNOWN,
    WAITED,
    Audit,
    Construction,
    HookFacts,
    LoaderFacts,
    MissingFact,
    OptimizerFacts,
    RecordedCall,
    SourceText,
    StepCounts,
    code_line,
)
from tbprof.model.report import Report, SkippedFile, Window
from tbprof.model.savings import Saving, Savings
from tbprof.model.sites import Instance, PredictedKind, PredictedLine, Site, Source, Span, SpanKind
from tbprof.model.window import (
    CodeKind,
    CodeShare,
    CopyTotal,
    DeviceIdle,
    HealthFact,
    HealthSeverity,
    HostTime,
    Idle,
    IdlePlace,
    Numbers,
    Step,
    SyncTotals,
    TraceSummary,
)

__all__ = [
    "DEVICE",
    "FACTS_SCHEMA",
    "HOST",
    "MADE_ON_HOST",
    "SEVERITIES",
    "UNKNOWN",
    "WAITED",
    "Audit",
    "CodeKind",
    "CodeShare",
    "Construction",
    "CopyTotal",
    "DeviceIdle",
    "Evidence",
    "FailedRule",
    "Finding",
    "HealthFact",
    "HealthSeverity",
    "HookFacts",
    "HostTime",
    "Idle",
    "IdlePlace",
    "Instance",
    "LoaderFacts",
    "MissingFact",
    "NotChecked",
    "Numbers",
    "OptimizerFacts",
    "PlanRow",
    "PredictedKind",
    "PredictedLine",
    "RecordedCall",
    "Removal",
    "Report",
    "Saving",
    "Savings",
    "Severity",
    "Site",
    "SkippedFile",
    "Source",
    "SourceText",
    "Span",
    "SpanKind",
    "Step",
    "StepCounts",
    "SyncTotals",
    "TraceSummary",
    "Verdict",
    "Window",
    "code_line",
    "disambiguated",
    "fingerprint",
    "suppression",
]
