"""What a file is, by how it begins and what it is called."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from tbprof.cli.reading import other_file


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_of_any_protocol_is_known_by_its_name(tmp_path: Path, protocol: int) -> None:
    (path := tmp_path / "snapshot.pickle").write_bytes(pickle.dumps({"segments": []}, protocol))
    assert other_file([path]) == ("snapshot", path)
    unnamed = path.rename(tmp_path / "unnamed")
    assert other_file([unnamed]) == (("snapshot", unnamed) if protocol >= 2 else None)


def test_a_folder_of_that_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "run.pickle").mkdir()
    assert other_file([tmp_path / "run.pickle"]) is None
