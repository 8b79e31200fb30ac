"""Writes a trace event by event, as Kineto does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tbprof.errors import TraceTooLarge
from tbprof.records import dataclass
from tbprof.trace.importers.unpacked import MAX_BYTES_VARIABLE, open_gzip_writer

Event = Mapping[str, Any]

MOST_NAME_CHARACTERS = 4096
"""The most letters of a name: one long string that many rows name would make a large file of a small one."""

_LEVEL = 1


class KinetoWriter:
    """The events of one trace, in any order."""

    def __init__(self, packed: BinaryIO, path: str, most_bytes: int, device_names: Mapping[int, str]) -> None:
        self.num_events = 0
        self._packed = packed
        self._path = path
        self._room = most_bytes
        self._device_names = device_names

    def start(self, base_time_ns: int) -> None:
        devices = [{"id": number, "name": name} for number, name in sorted(self._device_names.items())]
        head = {"schemaVersion": 1, "deviceProperties": devices, "displayTimeUnit": "ms"}
        encoded = msgspec.json.encode({**head, "baseTimeNanoseconds": base_time_ns})
        self._write(encoded.removesuffix(b"}") + b',"traceEvents":[\n')

    def rows(
        self,
        category: str,
        rows: Iterable[tuple[str, int, int, int, int, Mapping[str, Any]]],
    ) -> None:
        """Add slices, each as name, process or device, thread or stream, start and end in ns, arguments."""
        for name, place, lane, start_ns, end_ns, args in rows:
            self.add(
                {
                    "ph": "X",
                    "cat": category,
                    "name": name[:MOST_NAME_CHARACTERS],
                    "pid": place,
                    "tid": lane,
                    "ts": msgspec.Raw(_micros(start_ns)),
                    "dur": msgspec.Raw(_micros(max(end_ns - start_ns, 0))),
                    "args": args,
                }
            )

    def add(self, event: Event) -> None:
        self._write((b",\n" if self.num_events else b"") + msgspec.json.encode(event))
        self.num_events += 1

    def end(self) -> None:
        self._write(b"\n]}\n")

    def _write(self, data: bytes) -> None:
        self._room -= len(data)
        if self._room < 0:
            raise TraceTooLarge(
                f"{self._path} makes too large a trace: record less, or set {MAX_BYTES_VARIABLE} to more."
            )
        self._packed.write(data)


@contextmanager
def writing(
    path: Path, source: str, most_bytes: int, device_names: Mapping[int, str], base_time_ns: int
) -> Iterator[KinetoWriter]:
    """Write the trace at `path`; `source` is named where it gets too large.

    Raises:
        TraceTooLarge: It is larger than `most_bytes`, unpacked.
    """
    with path.open("wb") as file, open_gzip_writer(file, _LEVEL) as packed:
        writer = KinetoWriter(packed, source, most_bytes, device_names)
        writer.start(base_time_ns)
        yield writer
        writer.end()


def _micros(time_ns: int) -> bytes:
    sign, time_ns = ("-", -time_ns) if time_ns < 0 else ("", time_ns)
    return f"{sign}{time_ns // 1000}.{time_ns % 1000:03d}".encode()


@dataclass(frozen=True, slots=True)
class Converted:
    """One process of a recording."""

    path: Path
    """The path of the trace."""
    host: str
    """Empty where the recording does not tell."""
    pid: int
    """0 where the recording does not tell."""
    not_read: tuple[str, ...] = ()
    """What else the device did: what the recording holds of it, as it names that, or hides."""


_STEP = re.compile(
    r"(?:ProfilerStep#|(?:train(?:ing)?[ _]?)?(?:step|iteration|iter|batch)[ _:#=]*)(\d{1,18})", re.IGNORECASE
)
_OPERATOR = re.compile(r"(?:aten|autograd|c10d|prims)::")
_NUMBERS = re.compile(r", (?:seq|op_id|sizes|input_op_ids|seq_id) = ")
"""What `torch.autograd.profiler.emit_nvtx` puts after a name: `aten::add, seq = 3, op_id = 7`."""


_OF_DLPROF = re.compile(r"\{'mod': '([^']+)', 'op': '([^']+)'|\{'traceMarker': \['([^']+)'")
"""The ranges of DLProf and PyProf: a call of torch with all of its arguments, and the line that makes it."""


def category_and_name(text: str) -> tuple[str, str]:
    """The category and the name of the slice that a range becomes.

    >>> category_and_name("iteration 12")
    ('user_annotation', 'ProfilerStep#12')
    >>> category_and_name("aten::add, seq = 3")
    ('cpu_op', 'aten::add')
    >>> category_and_name("{'mod': 'torch.nn.functional', 'op': 'relu', 'args': []}")
    ('user_annotation', 'torch.nn.functional.relu')
    """
    if (called := _OF_DLPROF.match(text)) is not None:
        return "user_annotation", called[3] or f"{called[1]}.{called[2]}"
    step = _STEP.fullmatch(text.strip())
    if step is not None:
        return "user_annotation", f"ProfilerStep#{int(step[1])}"
    name = _NUMBERS.split(text, maxsplit=1)[0]
    return ("cpu_op" if _OPERATOR.match(name) else "user_annotation"), name
