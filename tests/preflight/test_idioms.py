"""Idioms of programs written for CUDA run, and the lines that are marked are predicted, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from marked_programs import marks, predicted_lines, run_here

pytest.importorskip("torch")


def idioms() -> dict[str, str]:
    """The code of each, by its name; the first is what comes before all the others."""
    text = (Path(__file__).parent / "idioms.txt").read_text(encoding="utf-8")
    parts = re.split(r"^=== (.*)$", re.sub(r"^--- .*$", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


IDIOMS = idioms()
PREAMBLE = IDIOMS.pop("preamble")


@pytest.mark.parametrize("idiom", IDIOMS)
def test_an_idiom_runs_and_its_lines_are_predicted(idiom: str, tmp_path: Path) -> None:
    program = tmp_path / "idiom.py"
    program.write_text(PREAMBLE + IDIOMS[idiom], encoding="utf-8")
    predicted = run_here(program)
    assert predicted["preflight"]["error"] == ""
    assert predicted_lines(predicted) == marks(program)
