"""Paths and addresses on the command line: each is what it is, or refused before anything is done."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from tbprof.cli.main import _COMMANDS, _add, main
from tbprof.cli.reading import local_path, path_of, path_or_address
from tbprof.errors import UsageError

OF_PLACES = {local_path, path_of, path_or_address}

MEANT_BY_NAMES = {"DIR", "FILE", "LOGDIR", "LOGS", "PATH", "ADDRESS"}
"""How help calls what is a path."""

DECIDED_LATER = {("check", "paths"), ("publish", "to")}
"""The first may be a program with its arguments, the second is an address alone."""


def places() -> Iterator[tuple[str, argparse.Action]]:
    """Each argument and option that is a path or an address, with its command."""
    for command in _COMMANDS:
        commands = argparse.ArgumentParser().add_subparsers()
        _add(command, commands)
        for action in commands.choices[command]._actions:
            is_place = action.metavar in MEANT_BY_NAMES or action.dest in ("logdir", "out", "output")
            if is_place or action.type in (Path, *OF_PLACES):
                yield command, action


PLACES = [(command, action) for command, action in places() if (command, action.dest) not in DECIDED_LATER]


def test_all_are_read_in_one_of_three_ways() -> None:
    assert len(PLACES) > 15
    assert [(command, action.dest) for command, action in PLACES if action.type not in OF_PLACES] == []


@pytest.mark.parametrize("read", [local_path, path_of, path_or_address])
def test_nothing_is_no_path(read: object) -> None:
    assert callable(read)
    with pytest.raises(UsageError, match="a path is empty"):
        read("")
    assert read("runs/a:b") == Path("runs/a:b")
    assert read("file:///runs") == Path("/runs")


@pytest.mark.parametrize("address", ["s3://bucket/run", "gs://b", "az://b/c", "any+scheme://x"])
def test_an_address_is_none_of_this_machine(address: str) -> None:
    assert path_or_address(address) == address
    with pytest.raises(UsageError, match=f"^{address.replace('+', '.')} is an address"):
        local_path(address)


@pytest.mark.parametrize(
    "command",
    [
        ["import", "trace.json", "--logdir", "s3://b/runs"],
        ["import", "trace.json", "--logdir", "logs", "--run", "s3://b"],
        ["import", "trace.json", "--logdir", "logs", "--run", ""],
        ["publish", "trace.json", "--logdir", "s3://b/runs"],
        ["publish", "s3://b/trace.json", "--logdir", "logs"],
        ["publish", "trace.json", "--logdir", "logs", "--to", "nowhere"],
        ["classic", "trace.json", "--out", "s3://b"],
        ["doctor", "s3://b/runs"],
        ["demo", "--no-serve", "--logdir", "s3://b"],
        ["check", "trace.json", "--baseline", "s3://b/accepted"],
        ["check", ""],
        ["report", "trace.json", "-o", "s3://b/page"],
        ["report", ""],
    ],
)
def test_what_is_refused_writes_and_moves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trace.json").write_text('{"traceEvents": [{"ph": "X", "name": "x", "ts": 1, "dur": 1}]}')
    assert main(command) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]
