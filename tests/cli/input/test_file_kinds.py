"""What a file is, by how it begins and what it is called."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from tbprof.cli.input.file_kinds import is_pickle


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_of_any_protocol_is_known_by_its_name(tmp_path: Path, protocol: int) -> None:
    (path := tmp_path / "snapshot.pickle").write_bytes(pickle.dumps({"segments": []}, protocol))
    assert is_pickle(path)
    assert is_pickle(path.rename(tmp_path / "snapshot")) == (protocol >= 2)


def test_a_folder_of_that_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "run.pickle").mkdir()
    assert not is_pickle(tmp_path / "run.pickle")
