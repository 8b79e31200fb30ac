"""Injured copies of real traces, and what a reader should still get out of each."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"
KINDS = ("cut", "flipped", "deleted", "doubled", "inserted", "spliced")

Row: TypeAlias = "tuple[int, int, str]"
"""Start and duration in ns, and the name."""


@dataclass(frozen=True)
class Event:
    """A complete event of the original, and where its text stands."""

    start: int
    end: int
    row: Row

    def meets(self, start: int, end: int) -> bool:
        """Whether a byte of it is in `[start, end)`; an empty span meets what it is inside of."""
        return (self.start < end and start < self.end) or (start == end and self.start < start < self.end)


@dataclass(frozen=True)
class Original:
    """A whole trace."""

    content: bytes

    @cached_property
    def events(self) -> list[Event]:
        """Its complete events."""
        found, at = [], 0
        document = msgspec.json.decode(self.content, type=dict[str, msgspec.Raw])
        for raw in msgspec.json.decode(document["traceEvents"], type=list[msgspec.Raw]):
            event: dict[str, Any] = msgspec.json.decode(raw)
            start = self.content.index(bytes(raw), at)
            at = start + len(bytes(raw))
            if event["ph"] == "X":
                row = (round(event["ts"] * 1000), round(event["dur"] * 1000), event["name"])
                found.append(Event(start, at, row))
        return found


@dataclass(frozen=True)
class Mutant:
    """An injured copy."""

    kind: str
    content: bytes
    original: Original
    lost: tuple[int, int]
    """The span of the original that is not there any more as it was."""
    added: tuple[int, int]
    """The span of the original that is there once more."""

    @property
    def intact(self) -> Counter[Row]:
        """The complete events whose bytes are all there."""
        return Counter(event.row for event in self.original.events if not event.meets(*self.lost))

    def touches(self, start_ns: int, end_ns: int) -> bool:
        """Whether an event at this time was lost or doubled."""
        return any(
            event.row[0] <= end_ns and start_ns <= event.row[0] + event.row[1]
            for event in self.original.events
            if event.meets(*self.lost) or event.meets(*self.added)
        )


def sample(name: str) -> Original:
    """A trace of the repository, by its place under logs/samples."""
    return Original(gzip.decompress((SAMPLES / name).read_bytes()))


def mutant(original: Original, other: bytes, rng: random.Random) -> Mutant:
    """One injury of a random kind; what is spliced in comes from `other`."""
    content, kind = original.content, rng.choice(KINDS)
    at = rng.randrange(len(content))
    end = min(at + rng.choice([1, 5, 50, 2000]), len(content))
    head, held, tail = content[:at], content[at:end], content[end:]
    nothing = (at, at)
    if kind == "cut":
        return Mutant(kind, head, original, (at, len(content)), nothing)
    if kind == "flipped":
        flipped = bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
        return Mutant(kind, head + flipped, original, (at, at + 1), nothing)
    if kind == "deleted":
        return Mutant(kind, head + tail, original, (at, end), nothing)
    if kind == "doubled":
        return Mutant(kind, head + held + held + tail, original, (end, end), (at, end))
    if kind == "inserted":
        return Mutant(kind, head + rng.randbytes(min(end - at, 50)) + held + tail, original, nothing, nothing)
    place = rng.randrange(len(other))
    return Mutant(kind, head + other[place : place + end - at] + tail, original, (at, end), nothing)


@dataclass(frozen=True)
class Verdict:
    """What a reader made of a mutant."""

    mutant: Mutant
    opened: bool
    kept: Counter[Row]
    """What it read."""

    @property
    def share(self) -> float:
        """Of the intact events, how many were read; 1 where none is intact."""
        intact = self.mutant.intact
        return (self.kept & intact).total() / intact.total() if intact else 1.0
