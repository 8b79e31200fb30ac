"""A tile of the timeline as bytes, for the browser to read without copying.

All numbers are little-endian. First the head, eight unsigned numbers of 32 bits:

    magic (0x54504254, "TBPT" in the file), version, level, number of the tile,
    spans, shares, depths, bytes of the names

Then the columns, each whole before the next; n entries of the stated type:

    spans   start_ns  float64    since the window's first event
            end_ns    float64
            place     uint32     lane << 16 | line << 8 | kind
            row       int32      row of the trace, number of an episode, or -1
            name      int32      index into the names, the site of an episode, or -1
            (padding to 8 bytes: one uint32 if the number of spans is odd)
    shares  place     uint32
            bucket    uint32     of the tile
            covered_ns uint32    how much of the bucket is covered
            count     uint32     how many spans begin in it
    depths  for each: lane (uint32), then 1024 x most, 1024 x empty_ns (uint32 each)

Last the names as a JSON array, in UTF-8. Names are cut at `MAX_NAME` letters: no label is longer.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Collection

from tbprof.analysis.timeline.tile import Shares, Spans, TilePlace
from tbprof.analysis.timeline.timeline import Timeline

MAGIC = 0x54504254
VERSION = 1
MAX_NAME = 100

_MOST = 2**32 - 1
"""A bucket of four seconds, of a window of more than an hour."""


def tile_bytes(timeline: Timeline, level: int, number: int, lanes: Collection[int]) -> bytes:
    """The tile of these lanes, with the names of its spans."""
    tile = timeline.tile(TilePlace(level, number), lanes)
    spans, shares = tile.spans, tile.shares
    labels, names = timeline.labels(spans)
    text = json.dumps([label[:MAX_NAME] for label in labels], ensure_ascii=False).encode("utf-8", "replace")
    head = (MAGIC, VERSION, tile.place.level, tile.place.number)
    counts = (len(spans.row), len(shares.bucket), len(tile.depths), len(text))
    return b"".join(
        [
            struct.pack("<8I", *head, *counts),
            spans.start_ns.astype("<f8").tobytes(),
            spans.end_ns.astype("<f8").tobytes(),
            _places(spans),
            spans.row.astype("<i4").tobytes(),
            names.astype("<i4").tobytes(),
            b"\0" * (4 * (len(names) % 2)),
            _places(shares),
            shares.bucket.astype("<u4").tobytes(),
            shares.covered_ns.clip(0, _MOST).astype("<u4").tobytes(),
            shares.count.astype("<u4").tobytes(),
            *(
                struct.pack("<I", depths.lane)
                + depths.most.astype("<u4").tobytes()
                + depths.empty_ns.clip(0, _MOST).astype("<u4").tobytes()
                for depths in tile.depths
            ),
            text,
        ]
    )


def _places(items: Spans | Shares) -> bytes:
    return (items.lane << 16 | items.line << 8 | items.kind).astype("<u4").tobytes()
