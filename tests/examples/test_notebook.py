"""The magic of notebooks, in IPython itself, and the example notebook, cell by cell."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("IPython")
pytest.importorskip("torch")

from IPython.core.interactiveshell import InteractiveShell

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "notebook.ipynb"

WAITS = ('    images = torch.randn(32, 64).to("cuda")', "    losses.append(loss.item())")

pytestmark = pytest.mark.skipif(
    shutil.which("nvidia-smi") is not None, reason="preflight is for machines without a GPU"
)


@pytest.fixture
def shell() -> Any:
    made = InteractiveShell()
    made.run_line_magic("load_ext", "tbprof")
    return made


def test_the_example_names_the_lines_of_its_first_cell_and_none_of_its_second(
    shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    printed = list[str]()
    for code in codes[1:]:
        shell.run_cell(code).raise_error()
        printed.append(capsys.readouterr().out)
    # By the numbers of the cell, whose first line is the magic.
    lines = {codes[1].splitlines().index(line) + 1 for line in WAITS}
    assert {int(found) for found in re.findall(r">:(\d+) in <module>", printed[0])} == lines
    assert re.findall(r">:(\d+) in <module>", printed[1]) == []
    assert len(shell.user_ns["losses"]) > 0


def test_a_recorded_cell_ends_with_its_report(shell: Any) -> None:
    shell.run_cell("%%tbprof record\nimport torch\nx = torch.ones(8) + 1").raise_error()
    assert "<" in shell.user_ns["_"]._repr_html_()
    assert shell.user_ns["x"].tolist() == [2.0] * 8


def test_an_error_of_the_cell_is_the_cell_s(shell: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        shell.run_cell("%%tbprof\nx = 1 / 0").raise_error()


@pytest.mark.parametrize("words", ["preflight x", "record 3", "nothing", "preflight 0"])
def test_words_that_make_no_sense_are_said(shell: Any, words: str) -> None:
    with pytest.raises(Exception, match="without a word, record where there is a GPU"):
        shell.run_cell(f"%%tbprof {words}\nx = 1").raise_error()
