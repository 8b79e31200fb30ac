"""The loader's batches are not pinned.

What
    A loader has `pin_memory=False`, and batches are copied to the device from pageable memory.

Why
    From pageable memory the driver copies through a buffer of its own, at about half the speed, and the
    host waits for that.

Example
    before:
        loader = DataLoader(data, batch_size=128)
        images = images.to(device)
    after:
        loader = DataLoader(data, batch_size=128, pin_memory=True)
        images = images.to(device, non_blocking=True)

Action
    Let the loader pin its batches: pin_memory=True.

Fix
    Give the loader `pin_memory=True` and copy with `non_blocking=True`.
    caveat: batches of a type of its own need a `pin_memory` method.

Silent
    Not reported if the hook did not record the window, if a loader pins its batches, or without an upload
    of at least 64 KB from pageable memory. CPY01 gives the saving.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.facts import Facts
from tbprof.model import Finding, LoaderFacts
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import GPU_WORK, HOOK, Rule
from tbprof.rules.input.words import PinningLoaders, UnpinnedBatches
from tbprof.trace.columns.arrays import NONE, Int64s

_CODE = "DAT04"

LEAST_BYTES = 64 * 1024
"""Smaller copies from pageable memory are staged without a wait."""


def find(facts: Facts) -> Iterator[Finding]:
    loaders, uploads = _loaders(facts), _uploads(facts)
    if not loaders or any(loader.pin_memory for loader in loaders) or not len(uploads):
        return
    episodes = facts.episodes
    yield window_finding(
        _CODE,
        place=loaders[0].dataset,
        severity="info",
        count=len(uploads),
        removal="rewrite",
        saving=None,
        confidence="medium",
        evidence=row_evidence(facts, "copy", facts.work.rows[episodes.record[uploads]]),
        figures=UnpinnedBatches(
            place=loaders[0].dataset,
            uploads=len(uploads),
            bytes=int(episodes.bytes[uploads].sum()),
        ),
    )


def _loaders(facts: Facts) -> tuple[LoaderFacts, ...]:
    return () if facts.trace.facts is None else facts.trace.facts.loaders


def _uploads(facts: Facts) -> Int64s:
    episodes = facts.episodes
    pageable = episodes.memory == MEMORIES.index("pageable")
    up = episodes.is_copy & pageable & (episodes.direction == DIRECTIONS.index("HtoD"))
    large = up & (episodes.bytes >= LEAST_BYTES) & (episodes.record != NONE) & (episodes.step != NONE)
    return np.flatnonzero(large)


def _looked_at(facts: Facts) -> PinningLoaders | None:
    loaders = _loaders(facts)
    if not loaders:
        return None
    pinning = sum(loader.pin_memory for loader in loaders)
    return PinningLoaders(len(loaders), pinning=pinning, uploads=len(_uploads(facts)))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("input",),
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK, HOOK),
    no_saving="CPY01 has the saving",
)
