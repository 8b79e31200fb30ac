"""Where the files of a report are, for who shows a finding beside its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.cli.baseline_file import path_in_checkout


@pytest.mark.parametrize(
    ("file", "root", "expected"),
    [
        ("train.py", "", "train.py"),
        ("models/net.py", "src", "src/models/net.py"),
        ("../lib/x.py", "src", "lib/x.py"),
        ("train.py", "elsewhere/../src", "src/train.py"),
    ],
)
def test_a_file_is_named_from_the_folder_of_the_command(file: str, root: str, expected: str) -> None:
    assert path_in_checkout(file, Path(root)) == expected


def test_what_lies_elsewhere_keeps_its_whole_path(tmp_path: Path) -> None:
    assert path_in_checkout("train.py", tmp_path) == (tmp_path / "train.py").as_posix()
    assert path_in_checkout(str(tmp_path / "lib.py"), Path("src")) == (tmp_path / "lib.py").as_posix()


def test_a_whole_path_below_the_folder_is_shortened() -> None:
    assert path_in_checkout(str(Path.cwd() / "a" / "b.py"), Path("src")) == "a/b.py"
