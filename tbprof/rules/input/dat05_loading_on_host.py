"""Loading data takes a large part of the host's step.

What
    No device work is in the recording, and the training thread is in the DataLoader for a large part
    of a step.

Why
    Whatever runs the model, a step can't begin before its batch is there. On a GPU the rest of the
    step gets shorter, and loading does not: its share grows. Where a GPU worked and its rows are
    missing, it may have been busy meanwhile: the share is of the host's time.

Example
    before:
        loader = DataLoader(data, batch_size=128, shuffle=True)
    after:
        loader = DataLoader(
            data, batch_size=128, shuffle=True,
            num_workers=8, persistent_workers=True,
        )

Action
    Prepare batches in worker processes.

Fix
    Make batches in workers: start with `num_workers` of 4 to 8 for each device, and keep them
    between epochs.
    caveat: workers share the cores with a model that is trained on the CPU; a dataset that holds open
    files can't be sent to them as it is.

Silent
    Not reported if loading takes less than 5 % of the steps, or if device work was recorded: then DAT01 and
    DAT02 report how long the device is idle because of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.health import lacks_device_rows
from tbprof.analysis.figures.host_costs import runs_on_host
from tbprof.model import Finding, Saving
from tbprof.rules.base.computing import typical_ns, typical_share
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding, with_remedy
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.rules.input.loader_calls import (
    STARVED_SHARE,
    LoaderCalls,
    find_loader_calls,
    is_single_process,
    slowest_function,
)
from tbprof.rules.input.words import LoadingOnHost

_CODE = "DAT05"
_WORKERS = "_MultiProcessingDataLoaderIter"


def find(facts: Facts) -> Iterator[Finding]:
    if not lacks_device_rows(facts):
        return
    loading = facts.causes.states["data"]
    loading_ns = typical_ns(facts, loading)
    share = typical_share(facts, loading_ns)
    if share < STARVED_SHARE:
        return
    calls = find_loader_calls(facts)
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=loading_ns)
    found = window_finding(
        _CODE,
        place="",
        severity=severity_of_transfer(facts, saving),
        count=len(calls.rows),
        removal="rewrite",
        saving=saving,
        confidence="high" if runs_on_host(facts) else "medium",
        evidence=row_evidence(facts, "call", calls.rows),
        figures=LoadingOnHost(
            loading_ns // len(facts.steps), share, *slowest_function(facts, calls, loading)
        ),
    )
    fixed_as = "DAT01" if _has_workers(calls) else "DAT02" if is_single_process(calls) else ""
    yield with_remedy(found, fixed_as=fixed_as)


def _has_workers(calls: LoaderCalls) -> bool:
    return any(_WORKERS in name for name in calls.names)


def _looked_at(facts: Facts) -> LoadingOnHost | None:
    if not lacks_device_rows(facts):
        return None
    loading_ns = typical_ns(facts, facts.causes.states["data"])
    return LoadingOnHost(loading_ns // len(facts.steps), typical_share(facts, loading_ns))


RULE = Rule(
    code=_CODE, effect="earlier_host", answers=("input",), find=find, passing=_looked_at, is_timed=True
)
