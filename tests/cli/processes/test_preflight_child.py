"""Preflight in a process of its own, where the program may end it without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.cli.torch_command import run_preflight
from tbprof.errors import UsageError

pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("code", "sentence"),
    [(0, "the program ends its process itself"), (5, "its own message is above")],
)
def test_a_process_that_ends_without_a_report_is_told(tmp_path: Path, code: int, sentence: str) -> None:
    program = tmp_path / "training.py"
    program.write_text(f"import os\nos._exit({code})\n")
    with pytest.raises(UsageError, match=f"ended with code {code} and no report: {sentence}"):
        run_preflight(str(program), [])
