"""A tensor goes to the host and comes back in the same step.

What
    A read of the device is followed by an upload of exactly as many bytes, in nearly every step: the
    tensor is worked on with NumPy, PIL or another library of the host, and sent back.

Why
    The step pays two transfers and a sync point, and while the host works on the tensor the device
    has nothing to do.

Example
    before:
        heat = gaussian_filter(maps.cpu().numpy(), sigma=2)
        maps = torch.from_numpy(heat).to(device)
    after:
        maps = torchvision.transforms.v2.functional.gaussian_blur(maps, kernel_size=9, sigma=2)

Action
    Do this work on the GPU, without the way to the host and back.

Fix
    Do the work on the device: `torchvision.transforms.v2` and kornia have most of what image libraries
    have, `torch` most of NumPy.
    caveat: results differ in the last digits, and in how edges are treated.

Silent
    Not reported for 64 KB or less, where equal sizes are often chance, if fewer than 80 % of the steps do
    it, or without recorded steps. Equal sizes are no proof that it is the same tensor: check the lines.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.model import Finding, SiteIndex
from tbprof.records import dataclass
from tbprof.rules.base.findings import waits_finding
from tbprof.rules.base.passing import copies
from tbprof.rules.base.rule import STEPS, Rule
from tbprof.rules.copies.words import RoundTrips
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among

_CODE = "CPY08"

MOST_STEPS = 0.8
"""What belongs to the step happens in each; the rest allows for a window's edges."""


def find(facts: Facts) -> Iterator[Finding]:
    for trip in find_round_trips(facts):
        if trip.steps < MOST_STEPS * len(facts.steps):
            continue
        sites = (trip.leaves, trip.returns)
        sizes = facts.episodes.bytes[trip.episodes]
        figures = RoundTrips(trips=len(trip.episodes) // 2, bytes=int(sizes.sum()))
        finding = waits_finding(facts, sites, trip.episodes, rule=_CODE, removal="rewrite", figures=figures)
        yield dataclasses.replace(finding, confidence="low")


RULE = Rule(code=_CODE, effect="earlier_host", answers=("waits",), find=find, passing=copies, needs=(STEPS,))


MIN_BYTES = 64 * 1024
"""Below this equal sizes are often chance: scalars, indexes and masks of one batch."""


@dataclass(frozen=True, slots=True, eq=False)
class RoundTrip:
    """All trips that leave from one site and come back by another."""

    leaves: SiteIndex
    returns: SiteIndex
    episodes: Int64s
    """Positions of both halves of each trip, ascending."""
    steps: int
    """Steps that hold such a trip."""


def find_round_trips(facts: Facts) -> list[RoundTrip]:
    """Each read that blocks is paired with the first upload of as many bytes after it in its step."""
    episodes = facts.episodes
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    reads = _large(facts, "DtoH")
    reads = reads[episodes.blocking[reads]]
    uploads = _large(facts, "HtoD")
    for read in reads[np.argsort(episodes.end_ns[reads], kind="stable")].tolist():
        back = uploads[
            (episodes.bytes[uploads] == episodes.bytes[read])
            & (episodes.step[uploads] == episodes.step[read])
            & (episodes.start_ns[uploads] >= episodes.end_ns[read])
        ]
        if len(back):
            upload = int(back[np.argmin(episodes.start_ns[back])])
            uploads = uploads[uploads != upload]
            sites = int(facts.site_of_episode[read]), int(facts.site_of_episode[upload])
            pairs.setdefault(sites, []).append((read, upload))
    return [
        RoundTrip(
            leaves=SiteIndex(leaves),
            returns=SiteIndex(returns),
            episodes=np.sort(np.array(trips, np.int64).reshape(-1)),
            steps=len(distinct(episodes.step[np.array(trips)[:, 0]])),
        )
        for (leaves, returns), trips in sorted(pairs.items())
    ]


def _large(facts: Facts, direction: str) -> Int64s:
    """Copies of the training lanes in a step, ascending."""
    episodes = facts.episodes
    mine = (episodes.direction == DIRECTIONS.index(direction)) & (episodes.bytes > MIN_BYTES)
    mine &= (episodes.step != NONE) & is_among(episodes.lane, facts.training_threads)
    return np.flatnonzero(mine)
