"""What goes through the pipes between a worker and the process that asks it.

Each message is a line of JSON. A question is `{"id", "path", "ask", "parameters"}`, with a `"size"` where
so many bytes go with it, behind the line. A worker tells `{"read_bytes", "total_bytes"}` while it reads, then
`{"id", "size"}` with so many bytes behind the line, which are the answer; or `{"id", "error", "kind"}`,
a sentence and the name of its error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO


@dataclass(frozen=True, slots=True)
class Question:
    path: str
    """Of the file that it is about."""
    ask: str
    """What is asked of it."""
    parameters: Mapping[str, str]
    content: bytes = b""
    """What goes with it, if that is much."""


def send(pipe: BinaryIO, message: Mapping[str, object], content: bytes | None = None) -> None:
    """Write a message, with the bytes that follow it.

    Raises:
        OSError: The other process has ended.
    """
    size = {} if content is None else {"size": len(content)}
    pipe.write(json.dumps({**message, **size}).encode() + b"\n" + (content or b""))
    pipe.flush()


def received(pipe: BinaryIO) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Each message with the bytes that follow it, until the other process ends; not one that it broke off."""
    for line in pipe:
        if not line.endswith(b"\n"):
            return
        message = json.loads(line)
        size = message.get("size", 0)
        content = pipe.read(size)
        if len(content) < size:
            return
        yield message, content
