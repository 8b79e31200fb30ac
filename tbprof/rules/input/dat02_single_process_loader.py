"""The batches are made in the training process.

What
    The DataLoader has `num_workers=0`: each batch is read, decoded and collated on the thread that
    also launches the work of the device.

Why
    Nothing is prepared beside the step. The host makes the batch, then launches the step, and the
    device runs dry in each of these pauses.

Example
    before:
        loader = DataLoader(data, batch_size=128, shuffle=True)
    after:
        loader = DataLoader(
            data, batch_size=128, shuffle=True,
            num_workers=8, persistent_workers=True, pin_memory=True,
        )

Action
    Set `num_workers=4`, as the loader has none.

Fix
    Make batches in workers: start with `num_workers` of 4 to 8 for each device, and keep them
    between epochs.
    caveat: a dataset that holds open files or a CUDA tensor can't be sent to workers as it is.

Silent
    Not reported if the loader leaves the device idle for less than 1 % of the steps. If the device starves
    for data, DAT01 gives the saving and this finding says how.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import total_ns
from tbprof.model import Finding, Saving, Severity
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.input.loader_calls import (
    STARVED_SHARE,
    LoaderCalls,
    find_loader_calls,
    is_single_process,
    loader_savings,
    loading,
)
from tbprof.rules.input.words import SingleProcess

_CODE = "DAT02"

_EXPOSED_SHARE = 0.01
"""Below this part of the steps the loader's way of working hardly matters."""


def find(facts: Facts) -> Iterator[Finding]:
    calls = find_loader_calls(facts)
    if calls.share < _EXPOSED_SHARE or not is_single_process(calls):
        return
    severity, saving = _worth(facts, calls)
    yield window_finding(
        _CODE,
        place="",
        severity=severity,
        count=len(calls.rows),
        removal="rewrite",
        saving=saving,
        confidence="high",
        evidence=row_evidence(facts, "call", calls.rows),
        figures=SingleProcess(total_ns(calls.idle) // len(facts.steps), calls.share),
    )


def _worth(facts: Facts, calls: LoaderCalls) -> tuple[Severity, Saving | None]:
    if calls.share >= STARVED_SHARE:
        return "info", None
    seen, saving = loader_savings(facts, calls)
    return severity_of_cause(facts, seen), saving


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("input",), find=find, passing=loading, needs=(GPU_WORK,)
)
