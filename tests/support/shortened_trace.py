"""A trace with its first steps alone, as small as it can be packed."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

Document: TypeAlias = dict[str, Any]

_STEP = "ProfilerStep#"
_ON_DEVICE = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "cuda_sync"})
_ARROWS = frozenset({"s", "t", "f"})


def read_document(trace: Path) -> Document:
    """The whole file; `trace` is packed."""
    document: Document = msgspec.json.decode(gzip.decompress(trace.read_bytes()))
    return document


def count_steps(document: Document) -> int:
    return len(_step_ends(document))


def shortened(document: Document, steps: int) -> Document:
    """The first `steps` steps: what the host began in them, and the device's work that it launched."""
    end = _step_ends(document)[steps - 1]
    host = [event for event in document["traceEvents"] if _begins_before(event, end)]
    launched = {_correlation(event) for event in host} - {None}
    kept = [
        event
        for event in document["traceEvents"]
        if (_is_launched(event, launched) if _hangs_on_a_call(event) else _begins_before(event, end))
    ]
    return {**document, "traceEvents": kept}


def packed(document: Document, name: str) -> bytes:
    """The file, named so, and without the folder and the machine that it was recorded on."""
    neutral = {**document, "traceName": name, "host_name": ""}
    if (facts := document.get("tbprof")) is not None:
        settings = {**facts["settings"], "platform": ""}
        neutral["tbprof"] = {**facts, "worker": name.partition(".")[0], "settings": settings}
    return gzip.compress(msgspec.json.encode(neutral), 9, mtime=0)


def _step_ends(document: Document) -> list[float]:
    rows = (event for event in document["traceEvents"] if event.get("cat") == "user_annotation")
    return sorted(row["ts"] + row["dur"] for row in rows if row["name"].startswith(_STEP))


def _begins_before(event: Document, end: float) -> bool:
    """Rows that say what a process is called have no time that matters."""
    return not _hangs_on_a_call(event) and (event["ph"] == "M" or event["ts"] < end)


def _hangs_on_a_call(event: Document) -> bool:
    """Whether it belongs to the step that launched it, however late it ran."""
    return event.get("cat") in _ON_DEVICE or event["ph"] in _ARROWS


def _is_launched(event: Document, launched: set[Any]) -> bool:
    number = event["id"] if event["ph"] in _ARROWS else _correlation(event)
    return number in launched


def _correlation(event: Document) -> Any:
    return event.get("args", {}).get("correlation")
