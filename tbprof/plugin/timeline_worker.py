"""The process that answers for timelines: `python -m tbprof.plugin.timeline_worker`.

Each line of its input is a JSON object `{"id", "path", "ask", ...}`; `ask` is one of
`ANSWERS`, the rest are its parameters, all text. For each it writes lines of JSON:
`{"read_bytes", "total_bytes"}` while it reads the trace, then `{"id", "size"}` and so many
bytes, the answer; or `{"id", "error"}`, a sentence. It ends with its input.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from tbprof.errors import TbprofError, UsageError
from tbprof.report import Timeline, open_timeline
from tbprof.texts.english import English
from tbprof.views.timeline_building import found_view, timeline_step, timeline_view
from tbprof.views.timeline_bytes import tile_bytes
from tbprof.views.timeline_excerpt import excerpt_of_step
from tbprof.views.timeline_selection import select_episode, select_gap, select_row

__all__ = ["ANSWERS", "serve"]

_KEPT_OPEN = 2
"""Timelines: the one that is looked at, and the one it is compared with."""

_TELL_EVERY_S = 0.2
_LOW_PRIORITY = 10

_Parameters = Mapping[str, str]


def serve(asked: BinaryIO, told: BinaryIO) -> None:
    """Answer until the input ends."""
    opened: OrderedDict[tuple[str, int, int], Timeline] = OrderedDict()
    for line in asked:
        question = json.loads(line)
        number = question.pop("id")
        try:
            answer = _answer(_timeline(question["path"], opened, told), question)
        except TbprofError as error:
            _tell(told, {"id": number, "error": str(error)})
        except MemoryError:
            _tell(
                told, {"id": number, "error": f"{question['path']} does not fit into this machine's memory"}
            )
        except Exception as error:  # noqa: BLE001 - one bad trace must not cost those asked for after it
            fault = f"this is a fault of tbprof's ({type(error).__name__}: {error})"
            _tell(told, {"id": number, "error": f"{question['path']} can't be shown; {fault}"})
        else:
            _tell(told, {"id": number, "size": len(answer)}, answer)


def _timeline(path: str, opened: OrderedDict[tuple[str, int, int], Timeline], told: BinaryIO) -> Timeline:
    """The one that is open, if the file has not changed since."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UsageError(f"{path} is gone or can't be read ({error.strerror})") from error
    key = (path, status.st_size, status.st_mtime_ns)
    if key not in opened:
        opened[key] = open_timeline(path, progress=_telling(told))
        opened[key].lay_out()
        while len(opened) > _KEPT_OPEN:
            opened.popitem(last=False)
    opened.move_to_end(key)
    return opened[key]


def _answer(timeline: Timeline, question: _Parameters) -> bytes:
    return ANSWERS[question["ask"]](timeline, question)


def _view(timeline: Timeline, _: _Parameters) -> bytes:
    return _json(timeline_view(timeline, English()))


def _step(timeline: Timeline, question: _Parameters) -> bytes:
    return _json(timeline_step(timeline, _step_number(timeline, question), English()))


def _excerpt(timeline: Timeline, question: _Parameters) -> bytes:
    return excerpt_of_step(timeline, _step_number(timeline, question), English())


def _tile(timeline: Timeline, question: _Parameters) -> bytes:
    level = _whole(question, "level", timeline.highest_level + 1)
    number = _whole(question, "number", (timeline.span_ns >> level) + 1)
    chosen = {int(lane) for lane in question.get("lanes", "").split(".") if lane.isdecimal()}
    return tile_bytes(timeline, level, number, chosen or range(len(timeline.lanes)))


def _selection(timeline: Timeline, question: _Parameters) -> bytes:
    number = _whole(question, "number", timeline.span_ns + len(timeline.facts.trace.slices) + 1)
    kinds: dict[str, Callable[[], Any]] = {
        "episode": lambda: select_episode(timeline, number, English()),
        "gap": lambda: select_gap(timeline, number, English()),
        "row": lambda: select_row(timeline, number),
    }
    selection = kinds.get(question.get("kind", ""), lambda: None)()
    if selection is None:
        raise UsageError("the link names something that is not in this window's timeline")
    return _json(selection)


def _find(timeline: Timeline, question: _Parameters) -> bytes:
    after_ns = int(question.get("after", "-1"))
    return _json(found_view(timeline, question["text"], after_ns, backwards=question.get("order") == "back"))


ANSWERS: Mapping[str, Callable[[Timeline, _Parameters], bytes]] = {
    "view": _view,
    "step": _step,
    "tile": _tile,
    "selection": _selection,
    "find": _find,
    "excerpt": _excerpt,
}


def _step_number(timeline: Timeline, question: _Parameters) -> int:
    return _whole(question, "step", len(timeline.facts.steps))


def _whole(question: _Parameters, name: str, below: int) -> int:
    text = question.get(name, "")
    if not text.isdecimal() or int(text) >= below:
        raise UsageError(f"{name} must be a whole number below {below}, not {text!r}")
    return int(text)


def _json(record: Any) -> bytes:
    return json.dumps(dataclasses.asdict(record), allow_nan=False).encode()


def _telling(told: BinaryIO) -> Callable[[int, int], None]:
    last = time.monotonic()

    def tell(read_bytes: int, total_bytes: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_EVERY_S:
            last = time.monotonic()
            _tell(told, {"read_bytes": read_bytes, "total_bytes": total_bytes})

    return tell


def _tell(told: BinaryIO, message: Mapping[str, object], content: bytes = b"") -> None:
    told.write(json.dumps(message).encode() + b"\n" + content)
    told.flush()


if __name__ == "__main__":
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_LOW_PRIORITY)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        serve(sys.stdin.buffer, sys.stdout.buffer)
