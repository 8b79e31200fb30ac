"""A trace repeated in time, as large as wanted: `python tile_trace.py IN COUNT OUT`.

Every copy is later by the length of the trace, and has correlations, arrows, external and
Python ids of its own, so that nothing joins across copies. The layout stays that of IN.
OUT is packed if it ends in `.gz`.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

_NUMBER = re.compile(
    rb'"(?P<key>ts|dur|id|correlation|[Ee]xternal id|Ev Idx|Record function id|Python id|Python parent id|'
    rb'wait_on_cuda_event_record_corr_id)":\s*(?P<value>\d+(?:\.\d+)?)'
)


@dataclass(frozen=True)
class _Template:
    """The text of the events, with a slot for each number that differs between copies."""

    text: bytes
    slots: list[tuple[int, int]]
    """Of each number: its value without the point, and how many decimals it has; -1 for an id."""
    length_us: int
    ids: int
    """One more than the highest id."""

    def copy(self, index: int) -> bytes:
        """The events of copy `index`."""
        later_us, higher = index * self.length_us, index * self.ids
        return self.text % tuple(
            b"%d" % (value + higher) if decimals < 0 else _us(value + later_us * 10**decimals, decimals)
            for value, decimals in self.slots
        )


def _us(value: int, decimals: int) -> bytes:
    digits = b"%0*d" % (decimals + 1, value)
    return digits[:-decimals] + b"." + digits[-decimals:] if decimals else digits


def _template(events: bytes) -> _Template:
    slots: list[tuple[int, int]] = []
    starts: list[float] = []
    longest = 0.0

    def slot(match: re.Match[bytes]) -> bytes:
        nonlocal longest
        before = match[0][: match.start("value") - match.start()]
        whole, _, decimals = match["value"].partition(b".")
        if match["key"] == b"dur":
            longest = max(longest, float(match["value"]))
            return match[0]
        is_time = match["key"] == b"ts"
        slots.append((int(whole + decimals), len(decimals) if is_time else -1))
        starts.extend([float(match["value"])] if is_time and int(whole) else [])
        return before + b"%s"

    text = _NUMBER.sub(slot, events.replace(b"%", b"%%"))
    length_us = int(max(starts) - min(starts) + longest) + 1000
    return _Template(text, slots, length_us, 1 + max(value for value, decimals in slots if decimals < 0))


def _pieces(source: bytes, count: int) -> Iterator[bytes]:
    document = msgspec.json.decode(source, type=dict[str, msgspec.Raw])
    template = _template(bytes(document.pop("traceEvents"))[1:-1])
    yield b"{\n"
    for key, value in document.items():
        yield b"  %b: %b,\n" % (msgspec.json.encode(key), bytes(value))
    yield b'  "traceEvents": ['
    for index in range(count):
        yield b"," if index else b""
        yield template.copy(index)
    yield b"]\n}\n"


def tile_trace(source: Path, count: int, target: Path) -> None:
    """Write the trace at `source` `count` times, one copy after the other, to `target`."""
    content = source.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    with gzip.open(target, "wb", 1) if target.suffix == ".gz" else target.open("wb") as out:
        out.writelines(_pieces(content, count))


if __name__ == "__main__":
    tile_trace(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
