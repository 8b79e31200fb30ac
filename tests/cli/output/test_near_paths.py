"""Paths as a person in this folder would write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.cli.reading import near_path


def test_what_lies_beneath_the_working_directory_is_named_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert near_path(str(tmp_path / "logs" / "a.json")) == str(Path("logs", "a.json"))
    assert near_path(str(tmp_path.parent / "a.json")) == str(tmp_path.parent / "a.json")
    assert near_path(str(Path("logs", "a.json"))) == str(Path("logs", "a.json"))
