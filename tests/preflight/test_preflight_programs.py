"""Programs whose lines are marked with what a GPU would wait for there: all of them, and no others."""

from __future__ import annotations

import pytest
from marked_programs import PROGRAMS, foretold, marks, run_here

torch = pytest.importorskip("torch")

IN_PROCESS = sorted(path.stem for path in PROGRAMS.glob("*.py") if not path.stem.startswith("alone_"))


@pytest.mark.parametrize("name", IN_PROCESS)
def test_the_marked_lines_are_foretold_and_no_others(name: str) -> None:
    program = PROGRAMS / f"{name}.py"
    prediction = run_here(program)
    assert prediction.error == ""
    assert foretold(prediction, program) == marks(program)
    assert name.endswith("_mended") == (marks(program) == set())
