"""Injured copies of real traces, and what a reader should still get out of each."""

from __future__ import annotations

import gzip
import random
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

SAMPLES = Path(__file__).parents[2] / "logs" / "samples"
CLEAN = SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
BERT = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
RECORDER = Path(__file__).with_name("cpu_training.py")
KINDS = ("cut", "flipped", "deleted", "doubled", "inserted", "spliced")

Row: TypeAlias = "tuple[int, int, str, int]"
"""Start and duration in ns, the name, and the correlation: -1 where there is none."""

_EXACT = msgspec.json.Decoder(float_hook=Decimal)


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
            start = self.content.index(bytes(raw), at)
            at = start + len(bytes(raw))
            event = _EXACT.decode(raw)
            if event["ph"] == "X":
                found.append(Event(start, at, _row(event)))
        return found


def _row(event: dict[str, Any]) -> Row:
    correlation = event.get("args", {}).get("correlation", -1)
    return int(event["ts"] * 1000), int(event["dur"] * 1000), event["name"], correlation


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

    @cached_property
    def intact(self) -> Counter[Row]:
        """The complete events whose bytes are all there."""
        return Counter(event.row for event in self.original.events if not event.meets(*self.lost))

    @cached_property
    def touched(self) -> list[Row]:
        """The complete events that were lost or doubled."""
        return [
            event.row for event in self.original.events if event.meets(*self.lost) or event.meets(*self.added)
        ]


def original(path: Path) -> Original:
    """The trace at `path`, plain or gzip."""
    content = path.read_bytes()
    return Original(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)


def recorded(folder: Path) -> Original:
    """A trace of a training on the CPU with stacks, shapes and memory, recorded now."""
    path = folder / "cpu.pt.trace.json"
    subprocess.run([sys.executable, str(RECORDER), str(path)], check=True, capture_output=True, timeout=300)
    return original(path)


def mutants(whole: Original, other: Original, count: int, seed: int) -> Iterator[Mutant]:
    """Copies with one injury of a random kind each; what is spliced in comes from `other`."""
    rng = random.Random(seed)
    return (_mutant(whole, other.content, rng) for _ in range(count))


def _mutant(whole: Original, other: bytes, rng: random.Random) -> Mutant:
    content, kind = whole.content, rng.choice(KINDS)
    at = rng.randrange(len(content))
    end = min(at + rng.choice([1, 5, 50, 2000]), len(content))
    head, held, tail = content[:at], content[at:end], content[end:]
    nothing = (at, at)
    if kind == "cut":
        return Mutant(kind, head, whole, (at, len(content)), nothing)
    if kind == "flipped":
        flipped = bytes([content[at] ^ 1 << rng.randrange(8)]) + content[at + 1 :]
        return Mutant(kind, head + flipped, whole, (at, at + 1), nothing)
    if kind == "deleted":
        return Mutant(kind, head + tail, whole, (at, end), nothing)
    if kind == "doubled":
        return Mutant(kind, head + held + held + tail, whole, (end, end), (at, end))
    if kind == "inserted":
        return Mutant(kind, head + rng.randbytes(min(end - at, 50)) + held + tail, whole, nothing, nothing)
    place = rng.randrange(len(other))
    return Mutant(kind, head + other[place : place + end - at] + tail, whole, (at, end), nothing)


@dataclass(frozen=True)
class Verdict:
    """What a reader made of a mutant."""

    mutant: Mutant
    opened: bool
    kept: Counter[Row]
    """What it read."""

    @cached_property
    def share(self) -> float:
        """Of the intact events, how many were read; 1 where none is intact."""
        intact = self.mutant.intact
        return (self.kept & intact).total() / intact.total() if intact else 1.0


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in what takes more of the processor's time: a hang must fail, not wait."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {seconds:.1f} s of the processor")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
