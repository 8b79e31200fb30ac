"""Files beside the windows of a run, as the page of memory shows them."""

from __future__ import annotations

from collections.abc import Iterable

from tbprof.model import MEMORY_KINDS, MemoryStep, OutOfMemory
from tbprof.snapshot import DeviceSnapshot, Snapshot
from tbprof.texts.figures.quantities import count, share, size
from tbprof.texts.memory import (
    NO_LINE,
    asked_sentence,
    changes,
    device_name,
    failed_sentence,
    there_sentence,
    unaccounted_bytes,
)
from tbprof.views.memory_files import MemoryDocument, MemoryPart, MemoryPartRow, MemoryStack

_MOST_ROWS = 30
_MOST_FRAMES = 12
_UNUSED = "cached, unused"


def out_of_memory_document(found: OutOfMemory) -> MemoryDocument:
    """What was asked for, what was there, what held it, where it was raised and what would free how much."""
    held = found.held
    known = [
        ("parameters", None, held.parameters_bytes),
        ("gradients", None, held.gradients_bytes),
        ("optimizer state", None, held.optimizer_bytes),
        ("saved for the backward pass", None, held.saved_bytes),
        ("other tensors of the program", None, held.other_bytes),
    ]
    rest = unaccounted_bytes(found)
    if rest is not None:
        known.append(("the rest, which Python does not know: activations, among others", None, rest))
    known_share = "" if held.is_whole else ", of the tensors that there was time to look at"
    said = (there_sentence(found), found.message and f"The error: {found.message}")
    parts = (
        MemoryPart("What would free memory", (), tuple(changes(found)), "", ()),
        MemoryPart(
            f"What held memory of {device_name(found)}{known_share}", _known(said), (), "", _shares(known)
        ),
        MemoryPart(
            "The largest of what is saved, and of the other tensors",
            (),
            (),
            "Tensors",
            tuple(MemoryPartRow(name, number, held_bytes, None) for name, number, held_bytes in held.largest),
        ),
        MemoryPart("Raised at", (), found.frames[:_MOST_FRAMES], "", ()),
    )
    return MemoryDocument(asked_sentence(found), None, _filled(parts))


def snapshot_document(found: Snapshot) -> MemoryDocument:
    """Device by device: what is allocated, what is free, and the lines that hold most."""
    if not found.devices:
        return MemoryDocument("Nothing is allocated, and no history was recorded.", None, ())
    allocated = sum(device.allocated_bytes for device in found.devices)
    reserved = sum(device.reserved_bytes for device in found.devices)
    headline = f"{size(allocated)} allocated of {size(reserved)} that torch's allocator holds."
    failed = next(((one.device, one.failed) for one in found.devices if one.failed is not None), None)
    if failed is not None:
        device, last = failed
        sentence = failed_sentence(asked_bytes=last.asked_bytes, free_bytes=last.free_bytes, place=last.place)
        headline = f"GPU {device} {sentence} {headline}"
    return MemoryDocument(headline, None, tuple(_device_part(device) for device in found.devices))


def memory_step_document(found: MemoryStep) -> MemoryDocument:
    """The peak of a step, by kind, module and line."""
    device = "the CPU" if found.device == "CPU" else found.device
    headline = (
        f"{size(found.peak_bytes)} of tensors on {device} at the peak, in the {found.phase}, in a step"
        f" after {count(found.step, 'step')}."
    )
    cached, at_peak = found.cached_bytes, found.cached_at_peak_bytes
    said = (
        "" if at_peak is None else f"{size(at_peak)} lay unused in torch's cache at the peak.",
        "" if cached is None else f"{size(cached)} lay unused in torch's cache at the end of the step.",
        "" if found.is_whole else "Not all of the step could be followed.",
    )
    parts = (
        MemoryPart("By kind", _known(said), (), "", _held(found.kinds, "", found.peak_bytes)),
        MemoryPart("By module", (), (), "", _held(found.modules, "no module", found.peak_bytes)),
        MemoryPart("By line that allocated", (), (), "", _held(found.lines, NO_LINE, found.peak_bytes)),
    )
    return MemoryDocument(headline, _stack(found), _filled(parts))


def _stack(found: MemoryStep) -> MemoryStack | None:
    """The kinds that were ever there, and above them what torch's cache held unused."""
    if not found.curve:
        return None
    at_us, *held = zip(*found.curve, strict=True)
    known = [(kind, sizes) for kind, sizes in zip(MEMORY_KINDS, held, strict=True) if any(sizes)]
    if found.cached_curve is not None:
        known.append((_UNUSED, found.cached_curve))
    return MemoryStack(
        kinds=tuple(kind for kind, _ in known),
        at_us=tuple(at_us),
        held_bytes=tuple(tuple(map(int, sizes)) for _, sizes in known),
    )


def _device_part(device: DeviceSnapshot) -> MemoryPart:
    free, largest = device.free_bytes, device.largest_free_bytes
    awaited = device.awaited_bytes
    failures = device.events.get("oom", 0)
    said = (
        f"{size(device.allocated_bytes)} allocated of {size(device.reserved_bytes)} reserved in"
        f" {count(device.segments, 'segment')}.",
        f"{size(free)} free, the largest block {size(largest)} ({share(largest / free)}): more than that at"
        " once needs another segment."
        if free
        else "",
        f"{size(awaited)} given back, and still awaited by a stream." if awaited else "",
        f"The history tells of {count(failures, 'allocation')} that failed." if failures else "",
    )
    whole = max(device.allocated_bytes, 1)
    rows = tuple(
        MemoryPartRow(
            one.place or "line not recorded",
            one.blocks,
            one.bytes,
            one.bytes / whole,
        )
        for one in device.held[:_MOST_ROWS]
    )
    left = device.held[_MOST_ROWS:]
    if left:
        held_bytes, blocks = sum(one.bytes for one in left), sum(one.blocks for one in left)
        others = f"on {count(len(left), 'more line')}"
        rows += (MemoryPartRow(others, blocks, held_bytes, held_bytes / whole),)
    return MemoryPart(f"GPU {device.device}", _known(said), (), "Blocks", rows)


def _held(rows: Iterable[tuple[str, int]], nothing: str, whole: int) -> tuple[MemoryPartRow, ...]:
    known = sorted((row for row in rows if row[1]), key=lambda row: -row[1])[:_MOST_ROWS]
    return tuple(MemoryPartRow(name or nothing, None, held, held / max(whole, 1)) for name, held in known)


def _shares(rows: Iterable[tuple[str, int | None, int]]) -> tuple[MemoryPartRow, ...]:
    known = list(rows)
    whole = max(sum(held for _, _, held in known), 1)
    return tuple(MemoryPartRow(name, number, held, held / whole) for name, number, held in known)


def _known(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(sentence for sentence in sentences if sentence)


def _filled(parts: Iterable[MemoryPart]) -> tuple[MemoryPart, ...]:
    return tuple(part for part in parts if part.rows or part.points or part.sentences)
