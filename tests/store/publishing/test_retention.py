"""What a run keeps, and in which order it lets go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.file_names import PIN_NAME
from tbprof.store.retention import Limits, keep_within

MUCH = 10**9


def window(run: Path, number: int, worker: str = "w", *, classic: bool = False) -> None:
    """A window whose raw trace takes 100 bytes, its copy 50 and its report 10."""
    stem = f"{worker}.{1_700_000_000_000_000_000 + number}"
    (run / f"{stem}.trace.json.gz").write_bytes(b"x" * 100)
    (run / f"{stem}.tbprof.pb").write_bytes(b"x" * 10)
    if classic:
        (run / "classic").mkdir(exist_ok=True)
        (run / "classic" / f"{stem}.pt.trace.json.gz").write_bytes(b"x" * 50)


def kept(run: Path) -> list[str]:
    """Kind, worker and number of each file that is left."""
    kinds = {"pb": "report", "gz": "trace", "json": "memory", "pickle": "snapshot"}
    names = []
    for path in run.rglob("*.*"):
        worker, time, *endings = path.name.split(".")
        if time.isdigit() and len(endings) > 1:
            kind = "copy" if path.parent.name == "classic" else kinds[endings[-1]]
            names.append(f"{kind} {worker}{int(time) - 1_700_000_000_000_000_000}")
    return sorted(names)


def test_older_windows_keep_their_reports_only(tmp_path: Path) -> None:
    for number in range(4):
        window(tmp_path, number, classic=True)
    keep_within(Limits(windows=2, bytes=MUCH), tmp_path)
    assert kept(tmp_path) == [
        *("copy w2", "copy w3"),
        *("report w0", "report w1", "report w2", "report w3"),
        *("trace w2", "trace w3"),
    ]


def test_each_worker_has_newest_windows_of_its_own(tmp_path: Path) -> None:
    for number, worker in enumerate(("a", "b", "a", "a")):
        window(tmp_path, number, worker)
    keep_within(Limits(windows=1, bytes=MUCH), tmp_path)
    assert [name for name in kept(tmp_path) if name.startswith("trace")] == ["trace a3", "trace b1"]


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (320, ["copy w1", "report w0", "report w1", "trace w0", "trace w1"]),
        (270, ["copy w1", "report w0", "report w1", "trace w0", "trace w1"]),
        (200, ["copy w1", "report w0", "report w1", "trace w1"]),
        (165, ["copy w1", "report w1", "trace w1"]),
        (0, ["copy w1", "report w1", "trace w1"]),
    ],
)
def test_copies_go_before_traces_and_traces_before_reports_and_the_newest_never(
    tmp_path: Path, limit: int, expected: list[str]
) -> None:
    for number in range(2):
        window(tmp_path, number, classic=True)
    keep_within(Limits(windows=9, bytes=limit), tmp_path)
    assert kept(tmp_path) == (sorted([*expected, "copy w0"]) if limit == 320 else expected)


def of_memory(run: Path, kind: str, number: int, worker: str = "w") -> None:
    """What the hook leaves of memory, 20 bytes."""
    (run / f"{worker}.{1_700_000_000_000_000_000 + number}.{kind}.json").write_bytes(b"x" * 20)


def test_a_followed_step_goes_with_its_window(tmp_path: Path) -> None:
    for number in range(3):
        window(tmp_path, number)
    of_memory(tmp_path, "memory_step", 0)
    of_memory(tmp_path, "memory_step", 2)
    keep_within(Limits(windows=2, bytes=MUCH), tmp_path)
    assert [name for name in kept(tmp_path) if name.startswith("memory")] == ["memory w2"]


@pytest.mark.parametrize("kind", ["memory_step", "out_of_memory"])
def test_of_memory_as_many_files_are_kept_as_windows(tmp_path: Path, kind: str) -> None:
    window(tmp_path, 0)
    for number in range(5):
        of_memory(tmp_path, kind, number)
        of_memory(tmp_path, kind, number, "other")
    keep_within(Limits(windows=2, bytes=MUCH), tmp_path)
    left = [name for name in kept(tmp_path) if name.startswith("memory")]
    assert left == ["memory other3", "memory other4", "memory w3", "memory w4"]
    assert "trace w0" in kept(tmp_path)


def test_snapshots_go_with_their_windows_and_before_followed_steps(tmp_path: Path) -> None:
    for number in range(3):
        window(tmp_path, number)
        of_memory(tmp_path, "memory_step", number)
        (tmp_path / f"w.{1_700_000_000_000_000_000 + number}.memory_step.pickle").write_bytes(b"x" * 200)
    (tmp_path / "own.pickle").write_bytes(b"x" * 10_000)
    snapshots = "*.memory_step.pickle"
    keep_within(Limits(windows=2, bytes=MUCH), tmp_path)
    assert len(list(tmp_path.glob(snapshots))) == 2
    # The older trace goes first.
    keep_within(Limits(windows=2, bytes=400), tmp_path)
    assert len(list(tmp_path.glob(snapshots))) == 1
    assert [name for name in kept(tmp_path) if name.startswith("memory")] == ["memory w1", "memory w2"]
    assert (tmp_path / "own.pickle").exists()


def test_followed_steps_go_before_reports_and_what_ran_out_goes_last(tmp_path: Path) -> None:
    """Files of memory are newer than the newest window, and it stays all the same."""
    for number in range(2):
        window(tmp_path, number)
        of_memory(tmp_path, "memory_step", number + 10)
        of_memory(tmp_path, "out_of_memory", number + 20)
    all_ = ["memory w10", "memory w11", "memory w20", "memory w21"]
    all_ += ["report w0", "report w1", "trace w0", "trace w1"]
    gone = ("trace w0", "memory w10", "report w0", "memory w20")
    for number, limit in enumerate((300, 200, 180, 170, 0)):
        keep_within(Limits(windows=9, bytes=limit), tmp_path)
        assert kept(tmp_path) == [name for name in all_ if name not in gone[:number]]


def test_a_pinned_run_keeps_everything(tmp_path: Path) -> None:
    for number in range(3):
        window(tmp_path, number)
    (tmp_path / PIN_NAME).touch()
    keep_within(Limits(windows=1, bytes=0), tmp_path)
    assert len(kept(tmp_path)) == 6


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    window(tmp_path, 0)
    window(tmp_path, 1)
    others = ("events.out.tfevents.1", "model.pt", "own.trace.json.gz", f"w.{10**18}.pt.trace.json.gz")
    for name in others:
        (tmp_path / name).write_bytes(b"x" * 1000)
    keep_within(Limits(windows=1, bytes=0), tmp_path)
    assert all((tmp_path / name).exists() for name in others)
    assert not (tmp_path / "w.1700000000000000000.trace.json.gz").exists()
