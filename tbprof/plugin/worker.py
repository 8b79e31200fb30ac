"""The process that reads traces for the tab: `python -m tbprof.plugin.worker`.

Each line of its input is a JSON object `{"path": ...}`. For each it writes lines of the same
kind: `{"path", "read_bytes", "total_bytes"}` while it reads, then either `{"path", "report"}`
(the stored form, in base64) or `{"path", "error"}` (a sentence). It ends with its input.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

from tbprof import __version__
from tbprof.errors import TbprofError
from tbprof.model import Report
from tbprof.report import build_report
from tbprof.store.cache import keep_report
from tbprof.store.codec import MAX_REPORT_BYTES, encode_report

__all__ = ["serve"]

_TELL_EVERY_S = 0.2
_LOW_PRIORITY = 10


def serve(asked: TextIO, told: TextIO) -> None:
    """Answer until the input ends."""
    for line in asked:
        path = json.loads(line)["path"]
        _tell(told, {"path": path, **_answer(path, _telling(path, told))})


def _answer(path: str, progress: Callable[[int, int], None]) -> dict[str, str]:
    try:
        report = build_report(path, progress=progress, use_cache=True)
    except TbprofError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": f"{path} does not fit into this machine's memory"}
    except Exception as error:  # noqa: BLE001 - one bad trace must not cost those that wait behind it
        fault = f"{type(error).__name__}: {error}"
        return {"error": f"{path} could not be read; this is a fault of tbprof's ({fault})"}
    return {"report": _packed(path, report)}


def _packed(path: str, report: Report) -> str:
    keep_report(path, report)
    data = encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)
    return base64.b64encode(data).decode()


def _telling(path: str, told: TextIO) -> Callable[[int, int], None]:
    last = time.monotonic()

    def tell(read_bytes: int, total_bytes: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_EVERY_S:
            last = time.monotonic()
            _tell(told, {"path": path, "read_bytes": read_bytes, "total_bytes": total_bytes})

    return tell


def _tell(told: TextIO, message: dict[str, object] | dict[str, str]) -> None:
    told.write(json.dumps(message) + "\n")
    told.flush()


if __name__ == "__main__":
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_LOW_PRIORITY)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        serve(sys.stdin, sys.stdout)
