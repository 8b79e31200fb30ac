"""Every gradient is tested for NaN.

What
    `torch.autograd.set_detect_anomaly(True)` tests the gradients of each backward node and reads
    every answer; `clip_grad_norm_(..., error_if_nonfinite=True)` reads one for all of them.

Why
    The backward pass is where the host runs furthest ahead. With a read after every node it runs
    in turns with the device, and anomaly mode records a stack for each forward op besides.

Example
    before:
        torch.autograd.set_detect_anomaly(True)
        clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    after:
        torch.autograd.set_detect_anomaly(os.environ.get("DEBUG_NAN") == "1")
        norm = clip_grad_norm_(model.parameters(), 1.0)
        torch._assert_async(torch.isfinite(norm))

Action
    Turn anomaly detection off.

Fix
    Turn anomaly mode on only while a NaN is hunted, and check the norm of all gradients on the
    device, or every so many steps.
    caveat: an overflow is then seen after the step that made it; keep a checkpoint.

Silent
    Not reported for fewer than 20 tests of gradients in a step, which custom functions may make themselves,
    or for the check of the norm without recorded stacks (SYN02). Only `info` if the GPU rarely runs out of
    work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.attribution.sites import SiteMembers
from tbprof.analysis.facts import Facts
from tbprof.line_rules import CLIPPING_FILE
from tbprof.model import Finding, SiteIndex
from tbprof.rules.base.evidence import reads_number
from tbprof.rules.base.findings import site_finding, waits_finding
from tbprof.rules.base.launching import in_frames
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.sync.words import NanChecks
from tbprof.trace.columns.arrays import NONE

_CODE = "SYN12"
_CLIP = rf".*{re.escape(CLIPPING_FILE)}\("
_NODE = "autograd::engine::evaluate_function: "

MANY_TESTS = 20
"""Reads of one step that no user makes: anomaly mode reads once for each gradient."""


def find(facts: Facts) -> Iterator[Finding]:
    """One finding for anomaly mode, and one for each check of a norm; `kind` says which."""
    reads = [index for index, site in facts.indexed_sites if reads_number(facts, site)]
    yield from _anomaly_mode(facts, [index for index in reads if _is_of_engine(facts.sites[index])])
    clipping = in_frames(facts, _CLIP)
    for index in reads:
        if clipping[facts.sites[index].members].all():
            figures = NanChecks(kind="error_if_nonfinite")
            yield site_finding(facts, index, rule=_CODE, removal="drop", figures=figures)


def _is_of_engine(site: SiteMembers) -> bool:
    """The engine's own read lies right under its node; that of a function lies under the function."""
    return len(site.ops) > 2 and site.ops[2].startswith(_NODE)


def _anomaly_mode(facts: Facts, sites: list[SiteIndex]) -> Iterator[Finding]:
    if not sites:
        return
    members = np.sort(np.concatenate([facts.sites[index].members for index in sites]))
    step = facts.episodes.step[members]
    per_step = int(np.bincount(step[step != NONE], minlength=1).max())
    if per_step >= MANY_TESTS:
        figures = NanChecks(kind="anomaly", per_step=per_step)
        yield waits_finding(facts, tuple(sites), members, rule=_CODE, removal="drop", figures=figures)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    kind="scalar_read",
    before=("SYN01", "SYN02", "SYN05", "SYN07", "SYN09"),
)
