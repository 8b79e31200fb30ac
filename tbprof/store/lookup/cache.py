"""Reports of traces made without the hook, kept in the user's cache folder.

The key is what the file is, not where it lies: device, inode, size, time of the last
change and digest of both ends, with the versions of the format and of the analysis. A folder that is not the
user's own, or that others may write to, is not used.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
from pathlib import Path

from tbprof.digests import sha256_hex
from tbprof.errors import ReportError, ReportTooLarge
from tbprof.folders import private_cache_folder
from tbprof.model import Report
from tbprof.opening import content_within, identity_of
from tbprof.store.codec import MAX_REPORT_BYTES, SCHEMA, decode_report, encode_report
from tbprof.store.files import write_whole
from tbprof.version import __version__

__all__ = ["MAX_CACHE_BYTES", "cached_report", "has_cached_report", "keep_report"]

MAX_CACHE_BYTES = 256 * 1024 * 1024
"""Beyond it the reports that were not used for longest go."""

WALK_EVERY = 64
"""Reports kept for one walk through the folder: a folder that grows to thousands is not walked for each."""


_OURS = re.compile(r"[0-9a-f]{32}\.pb")
"""Names of what is kept: nothing else is removed, whoever put it there."""


def cached_report(trace_path: str, *, is_one_of_many: bool = False) -> Report | None:
    """The report of this very file, or None; a damaged one counts as none. Of one of many a part."""
    folder = private_cache_folder("reports")
    if folder is None:
        return None
    try:
        kept = folder / _key(trace_path)
        content = content_within(kept, MAX_REPORT_BYTES)
        report = decode_report(content, name=kept.name, is_one_of_many=is_one_of_many)
        os.utime(kept)
    except (OSError, ReportError):
        return None
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=trace_path))


def has_cached_report(trace_path: str) -> bool:
    """Whether there is one of this very file; it may still turn out to be damaged."""
    folder = private_cache_folder("reports")
    try:
        return folder is not None and (folder / _key(trace_path)).is_file()
    except OSError:
        return False


def keep_report(trace_path: str, report: Report) -> None:
    """Keep a report for the next time; what can't be kept is simply made again."""
    folder = private_cache_folder("reports")
    if folder is None:
        return
    with contextlib.suppress(OSError, ReportTooLarge):
        # A cache has room for what a published report must leave out.
        data = encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)
        name = _key(trace_path)
        write_whole(folder / name, data)
        # Names are digests: of many, one in so many has its turn, whichever processes keep them.
        if int(name[:8], 16) % WALK_EVERY == 0:
            _make_room(folder)


def _key(trace_path: str) -> str:
    parts = (*identity_of(trace_path), SCHEMA, __version__)
    return sha256_hex(repr(parts).encode())[:32] + ".pb"


def _make_room(folder: Path) -> None:
    kept = [(path.lstat(), path) for path in folder.iterdir() if _OURS.fullmatch(path.name)]
    total = sum(status.st_size for status, _ in kept)
    for status, path in sorted(kept, key=lambda entry: entry[0].st_mtime_ns):
        if total <= MAX_CACHE_BYTES:
            return
        path.unlink(missing_ok=True)
        total -= status.st_size
