"""A baseline that is none costs one sentence, and no more memory than one may take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tbprof.cli.baseline_file import read_baseline
from tbprof.errors import UsageError


@pytest.mark.parametrize("content", ["[]", "null", "{}", '{"schema": 2, "findings": [1]}', "7"])
def test_what_is_no_baseline_is_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=r"baseline\.json is no baseline of tbprof check"):
        read_baseline(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such file")
def test_a_file_without_an_end_is_no_baseline() -> None:
    with pytest.raises(UsageError, match=r"/dev/zero can't be read .* it is no regular file"):
        read_baseline(Path("/dev/zero"))
