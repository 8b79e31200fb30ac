"""Lines of one loop are one thing to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from marked_programs import run_here

torch = pytest.importorskip("torch")

from tbprof.preflight.predicting import _loops_in  # noqa: E402
from tbprof.preflight.session import Preflight  # noqa: E402
from tbprof.preflight.text import text  # noqa: E402

HEAD = """
import torch
optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True, device="cuda")], lr=0.1)
"""

EXPERTS = """
def forward(x):
    out = torch.zeros_like(x)
    for number in range(4):
        mask = x[:, 0] == number
        if mask.any():
            rows = mask.nonzero()[:, 0]
            out[mask] = x[rows] * 2
    return out

for step in range(4):
    x = torch.arange(8.0, device="cuda").remainder(4)[:, None]
    forward(x).sum().item()
    optimizer.step()
"""

ONE_LINE = """
for step in range(4):
    values = torch.rand(5, device="cuda")
    total = sum(value.item() for value in values)
    print(values.max().item(), values.min().item(), values.sum().item())
    optimizer.step()
"""

TURNED_IN_STEPS = """
for step in range(4):
    x = torch.rand(5, device="cuda")
    if x.sum() > 0:
        x.max().item()
    optimizer.step()
"""


def loops(folder: Path, source: str) -> list[dict[str, Any]]:
    program = folder / "train.py"
    program.write_text(HEAD + source, encoding="utf-8")
    _loops_in.cache_clear()
    found: list[dict[str, Any]] = run_here(program)["loops"]
    return found


def test_the_experts_of_a_layer_are_one_loop(tmp_path: Path) -> None:
    (loop,) = loops(tmp_path, EXPERTS)
    assert (loop["source"]["line"], loop["last_line"], loop["source"]["function"]) == (7, 11, "forward")
    assert (loop["rule"], loop["lines"], loop["turns"]) == ("LCH08", [9, 10, 11], 4)
    # A truth value, a list of indexes and a mask, for each of four.
    assert loop["points_per_step"] == 12
    assert len(loop["findings"]) == 3


@pytest.mark.parametrize("source", [ONE_LINE, TURNED_IN_STEPS])
def test_one_line_is_none_and_the_loop_over_steps_is_none(tmp_path: Path, source: str) -> None:
    assert loops(tmp_path, source) == []


def test_it_stands_before_its_lines(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(HEAD + EXPERTS, encoding="utf-8")
    _loops_in.cache_clear()
    with Preflight() as preflight:
        exec(compile(program.read_text(encoding="utf-8"), str(program), "exec"), {"__name__": "__main__"})
    said = text(preflight.prediction)
    assert said.index("loop over items  [LCH08]") < said.index("[SYN05]")
    assert "4 turns a step, 12 sync points: lines 9, 10, 11 below are one loop" in said
