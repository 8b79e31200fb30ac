"""A large trace is read once; what is not exactly as it was kept is read again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trace_samples import a_step, classic, values_of, write

from tbprof.folders import cache_folder
from tbprof.trace import column_cache
from tbprof.trace.column_cache import read_trace_cached
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import ALL_TABLES, NO_TABLES, Tables
from tbprof.trace.reading import read_trace


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """The files that were really read; every file is worth keeping."""
    found: list[Path] = []

    def read(path: Path, **options: Any) -> Trace:
        found.append(path)
        return read_trace(path, **options)

    monkeypatch.setattr(column_cache, "read_trace", read)
    monkeypatch.setattr(column_cache, "WORTH_KEEPING_BYTES", 1)
    return found


def entries() -> list[Path]:
    return sorted((cache_folder() / "columns").iterdir())


def test_the_second_time_the_columns_are_there(tmp_path: Path, reads: list[Path]) -> None:
    path = write(tmp_path, classic(a_step()))

    first, second = read_trace_cached(path), read_trace_cached(path)

    assert reads == [path]
    assert values_of(second) == values_of(first)
    assert (second.path, second.health) == (str(path), first.health)
    assert not second.slices.start_ns.flags.writeable


@pytest.mark.parametrize(
    "name", ["h100_bert_small_infer/h100_bert_small.json.gz", "hta_nccl_ddp/nccl_data.json.gz"]
)
def test_every_column_of_a_real_trace_comes_back(traces: Path, reads: list[Path], name: str) -> None:
    first, second = (read_trace_cached(traces / name) for _ in range(2))

    assert len(reads) == 1
    kept, again = dict(arrays_of(first)), dict(arrays_of(second))
    assert kept.keys() == again.keys()
    for column, array in kept.items():
        np.testing.assert_array_equal(array, again[column], strict=True)
    assert len(kept) == 100
    assert (first.names, first.lanes, first.facts) == (second.names, second.lanes, second.facts)


def arrays_of(record: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for field in getattr(record, "__dataclass_fields__", ()):
        value = getattr(record, field)
        if isinstance(value, np.ndarray):
            yield f"{path}.{field}", value
        else:
            yield from arrays_of(value, f"{path}.{field}")


@pytest.mark.parametrize("first", [NO_TABLES, ALL_TABLES])
def test_who_asks_for_other_tables_finds_them(tmp_path: Path, reads: list[Path], first: Tables) -> None:
    path = write(tmp_path, classic(a_step()))
    read_trace_cached(path, tables=first)

    every = read_trace_cached(path, tables=ALL_TABLES)

    assert len(reads) == len(entries()) == 1
    assert every.memory is not None
    assert len(every.memory) == 1


def test_a_file_that_changed_is_another_file(tmp_path: Path, reads: list[Path]) -> None:
    path = write(tmp_path, classic(a_step()))
    read_trace_cached(path)
    os.utime(path, ns=(1, 1))

    read_trace_cached(path)

    assert len(reads) == 2


def test_a_file_of_another_name_is_the_same_file(tmp_path: Path, reads: list[Path]) -> None:
    path, other = write(tmp_path, classic(a_step())), tmp_path / "other.json"
    other.hardlink_to(path)
    read_trace_cached(path)

    assert read_trace_cached(other).path == str(other)
    assert len(reads) == 1


def test_a_file_that_grows_while_it_is_read_is_not_kept(tmp_path: Path, reads: list[Path]) -> None:
    path = write(tmp_path, classic(a_step()))

    def grow(*_: int) -> None:
        with path.open("ab") as file:
            file.write(b" ")

    read_trace_cached(path, progress=grow)

    assert entries() == []
    assert len(reads) == 1


def test_small_files_are_not_kept(tmp_path: Path) -> None:
    read_trace_cached(write(tmp_path, classic(a_step())))

    assert not (cache_folder() / "columns").exists()


def injured(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "gone":
        path.unlink()
    elif how == "cut":
        path.write_bytes(content[:-1])
    elif how == "longer":
        path.write_bytes(content + bytes(8))
    else:
        at = len(content) // 2
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


@pytest.mark.parametrize("how", ["gone", "cut", "longer", "flipped"])
@pytest.mark.parametrize("name", ["head.json", "slices.start_ns", "slices.name", "device.rows"])
def test_a_damaged_entry_is_read_again(tmp_path: Path, reads: list[Path], name: str, how: str) -> None:
    path = write(tmp_path, classic(a_step()))
    first = read_trace_cached(path)
    injured(entries()[0] / name, how)

    second, third = read_trace_cached(path), read_trace_cached(path)

    assert values_of(second) == values_of(third) == values_of(first)
    assert len(reads) == 2


def test_what_was_not_used_for_longest_goes_first(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [write(tmp_path, classic(a_step()), f"{number}.json") for number in range(4)]
    for number, path in enumerate(paths[:3]):
        read_trace_cached(path)
        newest = max(entries(), key=lambda entry: entry.stat().st_mtime)
        os.utime(newest, (number, number))
    one = sum(file.stat().st_size for file in entries()[0].iterdir())
    read_trace_cached(paths[0])
    monkeypatch.setattr(column_cache, "MAX_CACHE_BYTES", 3 * one + one // 2)

    read_trace_cached(paths[3])
    for path in (paths[0], paths[3], paths[2], paths[1]):
        read_trace_cached(path)

    assert [path.name for path in reads] == ["0.json", "1.json", "2.json", "3.json", "1.json"]


def test_parts_that_nobody_finished_are_removed_in_time(tmp_path: Path, reads: list[Path]) -> None:
    folder = cache_folder() / "columns"
    old, new = f".{'0' * 16}.part", f".{'1' * 16}.part"
    for name, used_s in ((old, 1.0), (new, None)):
        (folder / name).mkdir(parents=True)
        if used_s is not None:
            os.utime(folder / name, (used_s, used_s))
    folder.chmod(0o700)

    read_trace_cached(write(tmp_path, classic(a_step())))

    assert [entry.name for entry in entries() if entry.suffix] == [new]
    assert len(reads) == 1


@pytest.mark.usefixtures("reads")
def test_only_what_tbprof_made_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody may have put the user's own folders where the cache was."""
    read_trace_cached(write(tmp_path, classic(a_step()), "first.json"))
    folder = cache_folder() / "columns"
    (folder / "precious").mkdir()
    (folder / "precious" / "thesis.tex").write_text("years", encoding="utf-8")
    (folder / ("a" * 32)).symlink_to(folder / "precious")
    monkeypatch.setattr(column_cache, "MAX_CACHE_BYTES", 0)
    read_trace_cached(write(tmp_path, classic(a_step()), "second.json"))
    assert sorted(entry.name for entry in entries()) == ["a" * 32, "precious"]
    assert (folder / "precious" / "thesis.tex").read_text(encoding="utf-8") == "years"


@pytest.mark.skipif(os.name == "nt", reason="a folder of Windows has no such mode")
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path: Path, reads: list[Path]) -> None:
    folder = cache_folder() / "columns"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    path = write(tmp_path, classic(a_step()))

    read_trace_cached(path), read_trace_cached(path)

    assert len(reads) == 2
    assert entries() == []


def test_a_full_disk_costs_the_entry_only(
    tmp_path: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(column_cache, "write_columns", full)

    assert len(read_trace_cached(write(tmp_path, classic(a_step()))).slices) == 8
    assert entries() == []
    assert len(reads) == 1


def test_processes_that_want_the_same_trace_leave_one_entry(tmp_path: Path) -> None:
    path = write(tmp_path, classic(a_step() * 200))
    program = (
        "import sys; from tbprof.trace import column_cache as cache; cache.WORTH_KEEPING_BYTES = 1;"
        "print(len(cache.read_trace_cached(sys.argv[1]).slices))"
    )

    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]

    assert [process.communicate()[0] for process in processes] == ["1600\n"] * 4
    assert len(entries()) == 1
