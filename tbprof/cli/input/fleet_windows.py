"""The newest window of every rank of every run, each as its summary: one that was kept, or made now."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

from tbprof.cli.input.window_reading import read_windows
from tbprof.cli.output.stderr_messages import tell
from tbprof.errors import TbprofError
from tbprof.executors.executor import Executor
from tbprof.model import Window
from tbprof.store.lookup.discovery import Discovery, nothing_to_read
from tbprof.store.lookup.kept_summaries import FileIdentity, KeptSummaries, identity_of_window
from tbprof.store.lookup.owners import owner_of
from tbprof.texts.findings.left_out import skipped_sentence
from tbprof.trace_files import looks_like_trace
from tbprof.views.fleet.fleet_entries import FleetWindow, newest_windows
from tbprof.views.fleet.summary import (
    SUMMARY_FORM,
    WindowSummary,
    document_of,
    summary_of,
    summary_of_document,
)


def fleet_windows(folder: Path, *, use_cache: bool, executor: Executor | None) -> list[FleetWindow]:
    """By run; what is left out of the folder costs one line on stderr each.

    Raises:
        UsageError: There is no run.
    """
    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    newest = newest_windows(listing.windows)
    if not newest:
        raise nothing_to_read(folder)
    kept = KeptSummaries(str(folder.absolute()), SUMMARY_FORM) if use_cache else None
    known = {} if kept is None else dict(_known(kept, [window for window, _, _ in newest]))
    missing = [window for window, _, _ in newest if _path(window) not in known]
    problems: dict[str, str] = {}
    for window, report in read_windows(missing, executor, use_cache=use_cache):
        if isinstance(report, TbprofError):
            problems[_path(window)] = str(report)
            continue
        known[_path(window)] = summary_of(report)
        if kept is not None and (identity := _identity(window)) is not None:
            kept.keep(_path(window), identity, document_of(known[_path(window)]))
    if kept is not None and missing:
        kept.save([_path(window) for window, _, _ in newest])
    return [
        FleetWindow(
            _named(window, folder),
            count,
            first_ns,
            owner_of(_path(window)),
            known.get(_path(window)),
            problems.get(_path(window), ""),
        )
        for window, count, first_ns in newest
    ]


def _named(window: Window, folder: Path) -> Window:
    """What lies in the log directory itself has that folder's name."""
    return dataclasses.replace(window, run=folder.absolute().name) if window.run == "." else window


def _known(kept: KeptSummaries, windows: list[Window]) -> Iterator[tuple[str, WindowSummary]]:
    for window in windows:
        identity = _identity(window)
        document = None if identity is None else kept.get(_path(window), identity)
        if document is not None:
            yield _path(window), summary_of_document(document)


def _identity(window: Window) -> FileIdentity | None:
    """None where its file is gone, which reading it says."""
    try:
        return identity_of_window(window)
    except OSError:
        return None


def _path(window: Window) -> str:
    return window.report_path or window.trace_path or ""
