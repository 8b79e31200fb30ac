"""What TensorBoard's process and the one that reads reports tell each other, as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from tbprof.model import Window
from tbprof.records import dataclass

if TYPE_CHECKING:
    from tbprof.views.job.job_page import RankProblem, UnreadRank


_Record = TypeVar("_Record")

MISSING = b"missing "
"""Begins the answer where windows have no report at hand; their numbers follow, from 0 on."""


@dataclass(frozen=True, slots=True)
class AskedWindow:
    window: Window
    stored: bytes | None = None
    """Its report, where its trace has been analyzed and no file holds one."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is said of one of many windows."""

    is_missing: bool = False
    """There is no report of it at hand: its trace has to be read."""
    error: str = ""
    record: str = ""
    """The record as JSON."""


def packed_job(
    summaries: Sequence[str],
    problems: Sequence[RankProblem],
    older: Sequence[str],
    reading: Sequence[UnreadRank],
) -> bytes:
    """An `job_message.AskedJob` whose summaries are as they came."""
    packed = {
        "summaries": [as_it_is(summary.encode()) for summary in summaries],
        "problems": problems,
        "older": older,
        "reading": reading,
    }
    return msgspec.json.encode(packed)


def packed_windows(windows: Sequence[AskedWindow]) -> str:
    return msgspec.json.encode(windows).decode()


def windows_in(text: str) -> list[AskedWindow]:
    return msgspec.json.decode(text, type=list[AskedWindow])


def parts_in(content: bytes) -> list[Part]:
    return msgspec.json.decode(content, type=list[Part])


def json_of(record: object) -> bytes:
    """A record of any kind; its columns of whole numbers are packed."""
    return msgspec.json.encode(record, enc_hook=_packed_column)


def as_it_is(json: bytes) -> Any:
    """What is JSON already, as a part of a record."""
    return msgspec.Raw(json)


def record_in(text: str | bytes, kind: type[_Record]) -> _Record:
    """The record of this kind that `json_of` packed."""
    decode: Callable[[str | bytes], _Record] = _decoder(cast(Any, kind))
    return decode(text)


@cache
def _decoder(kind: Any) -> Callable[[str | bytes], Any]:
    return msgspec.json.Decoder(kind, dec_hook=_column).decode


def _packed_column(column: Any) -> str:
    # Of all that is asked of these processes only a job has columns.
    import numpy as np

    if not isinstance(column, np.ndarray):
        raise TypeError(f"no message holds a {type(column).__name__}")
    return base64.b64encode(column.astype(np.int64).tobytes()).decode()


def _column(_: object, text: str) -> Any:
    import numpy as np

    return np.frombuffer(base64.b64decode(text), np.int64)
