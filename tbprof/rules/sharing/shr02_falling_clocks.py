"""The same kernels get slower in the course of the window.

What
    Kernels with the same name and grid take longer in the last steps than in the first.

Why
    The work is the same, so the device is slower: its clocks fall as it gets hot or draws too much power,
    or somebody else has begun to use it. Figures of such a window differ from one minute to the next.

Example
    before:
        run_all_day()
    after:
        subprocess.run(['nvidia-smi', '-q', '-d', 'PERFORMANCE'])
        run_all_day()

Action
    Find out why the device slows down.

Fix
    `nvidia-smi -q -d PERFORMANCE` names the reason: power, heat or a limit that was set. Better cooling
    or a lower, steady limit gives even times.
    caveat: kernels whose work depends on the data, such as sparse ones, may change by themselves.

Silent
    Not reported for fewer than four steps, for a slowdown below 10 % over all kernels that can be compared,
    or if those take less than half of the kernels' time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import distinct_lines
from tbprof.model import Finding
from tbprof.records import dataclass
from tbprof.rules.base.computing import computing_finding, spent_on
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.sharing.words import FallingClocks, SteadyClocks
from tbprof.trace.columns.arrays import Int64s, is_among

_CODE = "SHR02"

SLOWER = 0.1
"""More than the clocks of public trainings differ between their steps."""
COMPARED_SHARE = 0.5
LEAST_STEPS = 4
LEAST_NS = 20_000
"""Shorter kernels vary with what runs beside them."""


@dataclass(frozen=True, slots=True, eq=False)
class _Drift:
    slower: float
    """How much longer the kernels take in the last half of the steps than in the first, 0.1 for a tenth."""
    share: float
    """The share of the time of all kernels in those that run in both halves."""
    work: Int64s
    """The work of the last half."""
    lost_ns: int


def find(facts: Facts) -> Iterator[Finding]:
    drift = facts.once(_find_drift)
    if drift.slower >= SLOWER and drift.share >= COMPARED_SHARE:
        share, per_step_ns = spent_on(facts, drift.work)
        yield computing_finding(
            facts,
            _CODE,
            drift.work,
            ceiling_ns=drift.lost_ns,
            figures=FallingClocks(share, per_step_ns, drift.slower),
            removal="needed",
            keeps_launches=True,
        )


def _find_drift(facts: Facts) -> _Drift:
    """Medians by name and grid of both halves; the halves leave out steps that are cold."""
    work = facts.work
    length = work.end_ns - work.start_ns
    warm = np.flatnonzero(~np.array(facts.steps.cold))
    first, last = warm[: len(warm) // 2], warm[(len(warm) + 1) // 2 :]
    kernels = facts.kernels_in_steps
    kernels = kernels[~facts.parts.is_communication[kernels]]
    step = facts.steps.index_of(work.launch_start_ns[kernels])
    blocks = np.nan_to_num(facts.trace.blocks_per_sm.at(work.rows[kernels]), nan=-1.0)
    keys = np.stack([facts.trace.slices.name[work.rows[kernels]].astype(np.float64), blocks], axis=1)
    key = distinct_lines(keys)[1]
    before, after = (_medians(key, length[kernels], is_among(step, half)) for half in (first, last))
    both = np.isfinite(before) & np.isfinite(after) & (before >= LEAST_NS)
    late = np.flatnonzero(is_among(step, last) & both[key])
    at, spent = key[late], length[kernels[late]]
    expected = before[at].sum()
    total = max(int(length[kernels[is_among(step, last)]].sum()), 1)
    # By medians: one kernel that another held up says nothing of the clocks.
    slower = float(after[at].sum() / expected - 1) if len(at) else 0.0
    lost_share = _lost_share(key, length[kernels], step, warm)
    lost_ns = round(lost_share * int(length[kernels].sum()))
    return _Drift(slower, float(spent.sum()) / total, kernels[late], lost_ns)


def _lost_share(key: Int64s, length: Int64s, step: Int64s, warm: Int64s) -> float:
    """The share of the time of all kernels that those of each key would not take were all steps like their
    fastest.
    """
    fastest = np.full(int(key.max(initial=-1)) + 1, np.nan)
    for one in warm.tolist():
        fastest = np.fmin(fastest, _medians(key, length, step == one))
    known = np.flatnonzero(is_among(step, warm) & np.isfinite(fastest[key]))
    spent_ns = float(length[known].sum())
    return max(1 - float(fastest[key[known]].sum()) / spent_ns, 0.0) if spent_ns else 0.0


def _medians(
    key: Int64s, length: Int64s, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The median of each key, NaN where none is chosen."""
    found = np.full(int(key.max(initial=-1)) + 1, np.nan)
    key, length = key[chosen], length[chosen]
    order = np.lexsort((length, key))
    key, length = key[order], length[order]
    codes, begin, counts = np.unique(key, return_index=True, return_counts=True)
    found[codes] = length[begin + counts // 2]
    return found


def _looked_at(facts: Facts) -> SteadyClocks | None:
    drift = facts.once(_find_drift)
    if drift.share < COMPARED_SHARE:
        return None
    return SteadyClocks(drift.slower, drift.share, kernels=len(drift.work))


RULE = Rule(
    code=_CODE,
    effect="shorter_kernels",
    find=find,
    passing=_looked_at,
    needs=(
        GPU_WORK,
        Need("four steps", lambda facts: facts.steps.recorded and len(facts.steps) >= LEAST_STEPS),
    ),
    is_of_device=True,
)
