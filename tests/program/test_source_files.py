"""Whose a file is, and what traces call it."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tbprof.program.caller_frame import (
    STANDARD_LIBRARY,
    TORCH,
    current_import_folders,
    is_notebook,
    library_of,
    name_below,
)


def test_a_file_of_a_package_is_the_library_s_and_any_other_the_user_s() -> None:
    installed = sysconfig.get_path("purelib")
    assert library_of(os.path.join(installed, "numpy", "linalg.py")) == "numpy"  # noqa: PTH118
    assert library_of(os.path.join(installed, "six.py")) == "six"  # noqa: PTH118
    assert library_of(f"{STANDARD_LIBRARY}json{os.sep}decoder.py") is None
    assert library_of("/home/me/train.py") is None


@pytest.mark.parametrize(
    ("file", "is_cell"), [("<ipython-input-1-0a>", True), ("<stdin>", True), ("<string>", False)]
)
def test_cells_of_notebooks_are_known_by_their_names(file: str, is_cell: bool) -> None:
    assert is_notebook(file) is is_cell


def test_a_name_begins_below_the_last_folder_that_holds_the_file(tmp_path: Path) -> None:
    outer, inner = (f"{folder}{os.sep}" for folder in (tmp_path, tmp_path / "src"))
    assert name_below((inner, outer), f"{inner}net.py") == "net.py"
    assert name_below((inner, outer), "/elsewhere/net.py") == "/elsewhere/net.py"


def test_the_folders_are_those_of_the_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert f"{tmp_path}{os.sep}" in current_import_folders()
    assert os.path.dirname(TORCH[:-1]) + os.sep in current_import_folders()  # noqa: PTH120
