"""Copies for the standard profiler tab: written beside a run, unseen by tbprof, first to go."""

from __future__ import annotations

import errno
import gzip
import importlib.util
import os
from pathlib import Path

import pytest

from tbprof.store import publishing
from tbprof.store.discovery import Discovery
from tbprof.store.publishing import (
    copy_classic,
    is_classic_wanted,
    publish_window,
    remove_classic_copies,
)
from tbprof.store.retention import CLASSIC_FOLDER
from tbprof.trace.export.classic_mark import is_classic_copy
from tbprof.trace.importers.sniffing import looks_like_trace

SAMPLE = Path(__file__).parents[3] / "logs/samples/h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"
STEM = "node1_77.1752215573993169006"


@pytest.fixture
def spooled(tmp_path: Path) -> Path:
    trace = tmp_path / "spool" / f"{STEM}.pt.trace.json"
    trace.parent.mkdir()
    trace.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
    return trace


def test_a_window_is_published_with_its_copy(spooled: Path, tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    publish_window(spooled, run, classic="always")
    copy = run / CLASSIC_FOLDER / f"{STEM}.pt.trace.json.gz"
    assert is_classic_copy(copy)
    [window] = Discovery(tmp_path / "logs", looks_like_trace).find().windows
    assert (window.run, window.trace_path) == ("run", str(run / f"{STEM}.trace.json.gz"))


def test_the_plugin_lists_the_copy_alone(spooled: Path, tmp_path: Path) -> None:
    consts = pytest.importorskip("torch_tb_profiler.consts")
    run = tmp_path / "logs" / "run"
    publish_window(spooled, run, classic="always")
    listed = [path for path in (tmp_path / "logs").rglob("*") if consts.WORKER_PATTERN.match(path.name)]
    assert listed == [run / CLASSIC_FOLDER / f"{STEM}.pt.trace.json.gz"]


def test_no_copy_is_written_where_none_is_wanted(spooled: Path, tmp_path: Path) -> None:
    publish_window(spooled, tmp_path / "run", classic="never")
    assert not (tmp_path / "run" / CLASSIC_FOLDER).exists()


def test_it_is_wanted_where_the_plugin_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if "profiler" in name else None)
    assert is_classic_wanted("auto")
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert not is_classic_wanted("auto")
    assert is_classic_wanted("always")


def test_a_copy_that_finds_no_room_costs_only_itself(spooled: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / CLASSIC_FOLDER).touch()
    published = publish_window(spooled, run, classic="always")
    assert published.trace.exists()
    assert published.report_path.exists()
    assert not spooled.exists()


def test_copies_make_room_for_a_window(
    spooled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    copy = copy_classic(SAMPLE, run / CLASSIC_FOLDER)
    merge = publishing.merge_facts

    def merge_where_there_is_room(*arguments: object) -> None:
        if copy.exists():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        merge(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(publishing, "merge_facts", merge_where_there_is_room)
    assert publish_window(spooled, run, classic="never").trace.exists()
    assert not copy.exists()


def test_only_copies_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / CLASSIC_FOLDER
    copy = copy_classic(SAMPLE, folder)
    recorded = folder / "node2_1.pt.trace.json.gz"
    recorded.write_bytes(SAMPLE.read_bytes())
    assert remove_classic_copies(tmp_path)
    assert not copy.exists()
    assert recorded.exists()
    assert not remove_classic_copies(tmp_path)


def test_a_trace_in_a_folder_of_that_name_is_found(tmp_path: Path) -> None:
    folder = tmp_path / CLASSIC_FOLDER
    folder.mkdir()
    (folder / SAMPLE.name).write_bytes(SAMPLE.read_bytes())
    copy_classic(SAMPLE, tmp_path / "elsewhere")
    [window] = Discovery(tmp_path, looks_like_trace).find().windows
    assert window.run == CLASSIC_FOLDER
