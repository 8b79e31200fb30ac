"""From the spool to the log directory, with a trace that torch.profiler wrote."""

from __future__ import annotations

import errno
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tbprof.errors import PublishError, TraceError
from tbprof.safe_open import content_of
from tbprof.store import files, publishing
from tbprof.store.codec import noted_content
from tbprof.store.discovery import Discovery
from tbprof.store.publishing import publish_window
from tbprof.store.retention import Limits
from tbprof.store.windows import read_report
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.window_names import parse_window_name

SAMPLE = Path(__file__).parents[3] / "logs/samples/h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"
STEM = "node1_77_rank3.1752215573993169006"
FACTS: dict[str, Any] = {
    "schema": 1,
    "tbprof_version": "0.1.0",
    "torch_version": "2.9.0+cu128",
    "cuda_version": "12.8",
    "driver_version": None,
    "device_names": ["NVIDIA H100"],
    "worker": "node1_77_rank3",
    "rank": 3,
    "world_size": 8,
    "window": 0,
    "first_step": 12,
    "recorded_steps": 3,
    "options": {"with_stack": True, "record_shapes": False},
    "unprofiled_step_ns": 12_000_000,
    "profiled_step_ns": None,
}


@pytest.fixture
def spooled(tmp_path: Path) -> Path:
    """A trace as Kineto left it, with the hook's facts beside it."""
    spool = tmp_path / "spool" / "host-77-1"
    spool.mkdir(parents=True)
    trace = spool / f"{STEM}.pt.trace.json"
    trace.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
    (spool / f"{STEM}.facts.json").write_text(json.dumps(FACTS), encoding="utf-8")
    return trace


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_trace_and_report_appear_and_the_spool_is_cleared(spooled: Path, tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    published = publish_window(spooled, run, classic="never")
    assert names_in(run) == [f"{STEM}.tbprof.pb", f"{STEM}.trace.json.gz"]
    assert published.trace == run / f"{STEM}.trace.json.gz"
    assert published.report_path == run / f"{STEM}.tbprof.pb"
    assert not spooled.parent.exists()
    [window] = Discovery(tmp_path / "logs", looks_like_trace).find().windows
    assert (window.run, window.worker) == ("run", "node1_77_rank3")
    assert window.trace_path == str(published.trace)
    assert window.report_path == str(published.report_path)


def test_the_report_is_that_of_the_trace_and_holds_the_facts(spooled: Path, tmp_path: Path) -> None:
    published = publish_window(spooled, tmp_path / "run")
    report = read_report(str(published.report_path))
    assert report.facts is not None
    told = {name: getattr(report.facts, name) for name in FACTS}
    assert told == {**FACTS, "device_names": ("NVIDIA H100",)}
    assert (report.trace.rank, report.trace.world_size) == (3, 8)
    assert [fact.code for fact in report.trace.health if "damaged" in fact.code] == []
    assert noted_content(published.report_path.read_bytes()) == content_of(published.trace)
    # It names itself by where it lies now; in the file there is no folder at all.
    assert report.trace.path == str(published.report_path)
    assert published.report.trace.path == f"{STEM}.trace.json.gz"


def test_the_published_trace_is_the_old_one_with_one_more_member(spooled: Path, tmp_path: Path) -> None:
    recorded = json.loads(spooled.read_bytes())
    published = publish_window(spooled, tmp_path / "run")
    assert json.loads(gzip.decompress(published.trace.read_bytes())) == {"tbprof": FACTS, **recorded}


def test_a_trace_that_breaks_off_is_refused_and_set_aside(spooled: Path, tmp_path: Path) -> None:
    os.truncate(spooled, spooled.stat().st_size // 2)
    with pytest.raises(TraceError, match="is not whole"):
        publish_window(spooled, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    # Under this name nobody tries to publish it again.
    assert names_in(spooled.parent) == [f"{STEM}.broken", f"{STEM}.facts.json"]


def test_a_trace_that_can_t_be_opened_now_stays(spooled: Path, tmp_path: Path) -> None:
    spooled.unlink()
    spooled.mkdir()
    with pytest.raises(TraceError, match="no regular file"):
        publish_window(spooled, tmp_path / "run")
    assert spooled.exists()


def test_what_a_killed_process_left_half_written_is_removed(spooled: Path, tmp_path: Path) -> None:
    for folder in (tmp_path / "run", tmp_path / "run" / "classic"):
        folder.mkdir()
        (folder / ".0123456789abcdef.part").write_bytes(b"half")
    publish_window(spooled, tmp_path / "run", classic="never")
    assert list((tmp_path / "run").rglob("*.part")) == []


@pytest.mark.parametrize("extra", ["write_scalars", "copy_classic", "keep_within"])
def test_an_extra_that_fails_does_not_unpublish_the_window(
    spooled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extra: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(publishing, extra, full)
    publish_window(spooled, tmp_path / "run", "always", Limits(20, 10**9))
    assert {f"{STEM}.tbprof.pb", f"{STEM}.trace.json.gz"} <= set(names_in(tmp_path / "run"))
    assert not spooled.exists()


@pytest.mark.parametrize("damage", ["broken off", "half a surrogate pair", "unreadable"])
def test_facts_that_can_t_be_read_cost_the_facts_alone(spooled: Path, tmp_path: Path, damage: str) -> None:
    facts = spooled.with_name(f"{STEM}.facts.json")
    if damage == "unreadable":
        facts.unlink()
        facts.mkdir()
    else:
        facts.write_text(
            '{"schema": 1' if damage == "broken off" else r'{"worker": "\udcff"}', encoding="utf-8"
        )
    report = publish_window(spooled, tmp_path / "run").report
    assert report.facts is None
    assert "facts_damaged" in [fact.code for fact in report.trace.health]
    assert not spooled.exists()


def test_a_log_directory_that_is_a_file_is_said_and_the_window_kept(spooled: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("", encoding="utf-8")
    with pytest.raises(PublishError, match=r"logs/run can't be written to .*the window stays at"):
        publish_window(spooled, tmp_path / "logs" / "run")
    assert len(names_in(spooled.parent)) == 2


@pytest.mark.parametrize("fails_at", [1, 2])
@pytest.mark.parametrize("operation", ["open", "replace"])
def test_a_disk_that_fails_shows_no_half_window(
    spooled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str, fails_at: int
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    works = getattr(Path, operation)
    calls = 0

    def fail_once(path: Path, *arguments: Any, **options: Any) -> Any:
        nonlocal calls
        # What is written is read again before it appears.
        changes = path.parent == run and (operation == "replace" or "xb" in arguments)
        calls += changes
        if changes and calls == fails_at:
            raise OSError(errno.ENOSPC, "No space left on device")
        return works(path, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(files.Path, operation, fail_once)
        with pytest.raises(PublishError, match=r"run can't be written to \(No space left on device\)"):
            publish_window(spooled, run)
    # The report appears first: it may be there, and is whole; the trace is not.
    assert [name for name in names_in(run) if name != f"{STEM}.tbprof.pb"] == []
    for name in names_in(run):
        assert read_report(str(run / name)).steps
    assert len(names_in(spooled.parent)) == 2
    # The next start of the hook tries again.
    publish_window(spooled, run, classic="never")
    assert len(names_in(run)) == 2


def test_a_spool_with_another_window_stays(spooled: Path, tmp_path: Path) -> None:
    other = spooled.with_name("node1_77_rank3.1752215573993169007.pt.trace.json")
    other.write_bytes(spooled.read_bytes())
    publish_window(spooled, tmp_path / "run")
    assert names_in(spooled.parent) == [other.name]


def test_a_window_without_facts_is_published_as_it_is(spooled: Path, tmp_path: Path) -> None:
    spooled.with_name(parse_window_name(spooled.name).stem + ".facts.json").unlink(missing_ok=True)
    published = publish_window(spooled, tmp_path / "run")
    assert published.report.facts is None
    assert "facts_damaged" not in [fact.code for fact in published.report.trace.health]
