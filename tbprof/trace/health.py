"""What was lost or odd while reading, as facts of the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.chunks import EventStream
from tbprof.trace.columns import Category, Slices
from tbprof.trace.decode import Losses
from tbprof.trace.eras import GPU_WORK
from tbprof.trace.metadata import Metadata
from tbprof.trace.source import ByteSource

__all__ = ["CODES", "Reading", "health_of"]

CODES = {
    "compression_damaged": "The gzip stream broke off or failed its check; what came before is kept.",
    "truncated": "The event array never closed: the writer was killed, or the disk was full.",
    "events_dropped": "Events that could not be read: `damaged`, `no_time`, `not_an_object`, `too_long`.",
    "text_repaired": "Events, or chunks of them, whose text was no valid JSON and was put right.",
    "negative_durations": "Events that ended before they began; they count as 0 ns long.",
    "metadata_damaged": "A part of what the file says about itself could not be read.",
    "facts_damaged": "What the trainer hook added to the file could not be used.",
    "no_gpu_rows": "The file holds no GPU work.",
    "gpu_rows_without_launch": "GPU rows whose call is not in the file, such as work of the step before.",
}
"""Every code of this module and what it means; its numbers are named in the sentence or count rows."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reading of a file went."""

    source: ByteSource
    stream: EventStream
    losses: Losses
    metadata: Metadata
    negative_durations: int


def health_of(reading: Reading, slices: Slices) -> tuple[HealthFact, ...]:
    """What to know before the figures of this file are trusted."""
    return (*_of_bytes(reading), *_of_events(reading), *_of_metadata(reading.metadata), *_of_rows(slices))


def _of_bytes(reading: Reading) -> Iterator[HealthFact]:
    source = reading.source
    if source.damaged:
        yield HealthFact("compression_damaged", "warning", {"unpacked_bytes": source.unpacked_bytes})
    if not reading.stream.ended:
        yield HealthFact("truncated", "warning", {"unpacked_bytes": source.unpacked_bytes})


def _of_events(reading: Reading) -> Iterator[HealthFact]:
    lost = {reason: count for reason, count in reading.losses.events.items() if count}
    if reading.stream.oversized_events:
        lost["too_long"] = reading.stream.oversized_events
    if lost:
        yield HealthFact("events_dropped", "warning", {"dropped": sum(lost.values()), **lost})
    if reading.losses.repaired:
        yield HealthFact("text_repaired", "info", {"repaired": reading.losses.repaired})
    if reading.negative_durations:
        yield HealthFact("negative_durations", "warning", {"rows": reading.negative_durations})


def _of_metadata(metadata: Metadata) -> Iterator[HealthFact]:
    if metadata.damaged:
        yield HealthFact("metadata_damaged", "warning", {})
    if metadata.facts_damaged:
        yield HealthFact("facts_damaged", "warning", {})


def _of_rows(slices: Slices) -> Iterator[HealthFact]:
    on_gpu = np.isin(slices.category, GPU_WORK)
    if not on_gpu.any():
        yield HealthFact("no_gpu_rows", "info", {"rows": len(slices)})
        return
    launched = slices.correlation[on_gpu]
    calls = slices.correlation[slices.category == Category.RUNTIME]
    orphans = int((~np.isin(launched, calls) | (launched < 0)).sum())
    if orphans:
        yield HealthFact("gpu_rows_without_launch", "info", {"rows": orphans, "of": len(launched)})
