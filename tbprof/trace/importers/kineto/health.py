"""What was lost or odd while reading, as facts of the file; their sentences are in `tbprof.texts`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.model import HealthFact, HookFacts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import CLOCK_SLACK_NS, NONE, Int64s, is_among, lookup
from tbprof.trace.columns.columns import Category, Slices
from tbprof.trace.columns.eras import GPU_WORK, OTHER_ACCELERATORS
from tbprof.trace.importers.kineto.events.decode import Losses
from tbprof.trace.importers.kineto.events.metadata import Metadata
from tbprof.trace.importers.kineto.rows import Rows


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reading of a file went."""

    unpacked_bytes: int
    compression_damaged: bool
    """Whether the gzip stream ended before its end or failed its check."""
    ended: bool
    """Whether the event array closed."""
    is_whole: bool
    """Whether it holds all that the profiler wrote: it closed, or the last event of all was met."""
    oversized_events: int
    losses: Losses
    metadata: Metadata


def health_of(reading: Reading, rows: Rows, left_out: dict[str, int]) -> tuple[HealthFact, ...]:
    """What to know before the figures of this file are trusted; `left_out` counts what is not in `rows`."""
    return (
        *_of_bytes(reading),
        *_of_events(reading, rows, left_out),
        *_of_metadata(reading.metadata),
        *_of_rows(rows.slices, reading.metadata, is_cut=not reading.is_whole),
    )


def _of_bytes(reading: Reading) -> Iterator[HealthFact]:
    if reading.compression_damaged:
        yield HealthFact("compression_damaged", "warning", {"unpacked_bytes": reading.unpacked_bytes})
    if not reading.is_whole:
        yield HealthFact("truncated", "warning", {"unpacked_bytes": reading.unpacked_bytes})
    elif not reading.ended:
        yield HealthFact("array_unclosed", "info", {})


def _of_events(reading: Reading, rows: Rows, left_out: dict[str, int]) -> Iterator[HealthFact]:
    dropped: dict[str, int] = {reason: count for reason, count in reading.losses.events.items() if count}
    if reading.oversized_events:
        dropped["too_long"] = reading.oversized_events
    if dropped:
        yield HealthFact("events_dropped", "warning", {"dropped": sum(dropped.values()), **dropped})
    if reading.losses.repaired:
        lost = {"lost": 1} if dropped or reading.compression_damaged or not reading.is_whole else {}
        yield HealthFact("text_repaired", "info", {"repaired": reading.losses.repaired, **lost})
    if rows.negative_durations:
        yield HealthFact("negative_durations", "warning", {"rows": rows.negative_durations})
    if left_out:
        yield HealthFact("stray_times", "warning", left_out)


def _of_metadata(metadata: Metadata) -> Iterator[HealthFact]:
    if metadata.damaged:
        yield HealthFact("metadata_damaged", "warning", {})
    if metadata.facts_damaged:
        yield HealthFact("facts_damaged", "warning", {})


def _of_rows(slices: Slices, metadata: Metadata, *, is_cut: bool) -> Iterator[HealthFact]:
    on_gpu, hook = is_among(slices.category, GPU_WORK), metadata.facts
    if not on_gpu.any() and hook is not None and hook.device_names:
        yield HealthFact("gpu_not_recorded", "warning", {**_seen(hook), **metadata.versions})
        return
    if not on_gpu.any():
        if not is_among(slices.category, OTHER_ACCELERATORS).any():
            cut = {"cut": 1} if is_cut else {}
            yield HealthFact("no_gpu_rows", "info", {"rows": len(slices), **cut, **metadata.versions})
        return
    started_ns, launched_ns = _starts(slices, np.flatnonzero(on_gpu))
    without = int(on_gpu.sum()) - len(started_ns)
    if without:
        yield HealthFact("gpu_rows_without_launch", "info", {"rows": without, "of": int(on_gpu.sum())})
    early_ns = launched_ns - started_ns
    early = int((early_ns > CLOCK_SLACK_NS).sum())
    if early:
        yield HealthFact("gpu_before_launch", "warning", {"rows": early, "worst_ns": int(early_ns.max())})


def _seen(hook: HookFacts) -> dict[str, int | str]:
    recorder = hook.device_recorder or "CUPTI"
    other = {} if recorder == "CUPTI" else {"recorder": recorder}
    return {"device": hook.device_names[0], "window": hook.window, **other}


def _starts(slices: Slices, gpu_rows: Int64s) -> tuple[Int64s, Int64s]:
    """Start of each GPU row whose call is in the file, and start of that call."""
    calls = np.flatnonzero((slices.category == Category.RUNTIME) & (slices.correlation >= 0))
    call = lookup(slices.correlation[calls], calls, slices.correlation[gpu_rows])
    known = call != NONE
    return slices.start_ns[gpu_rows[known]], slices.start_ns[call[known]]
