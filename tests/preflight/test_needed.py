"""Reads that a program needs where they are: said as info, with the reason, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from marked_programs import run_here

pytest.importorskip("torch")

PROGRAM = """
import math
import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([weight])


class Robot:
    def move(self, angle):
        return angle * 2


class Meter:
    def update(self, value):
        self.value = value


def settle(x):
    while x.max() > 0.5:  # loop
        x = x * 0.5
    for _ in range(9):
        x = x * 0.9
        if x.sum() < 1e-1:  # loop
            break
        if x.isnan().any():  # -
            break
    return x


def advance(x, end):
    time, width, total, spent = 0.0, 0.4, 0.0, 0
    while time < end:
        error = (x * width).abs().max().item()  # loop
        worst = x.max().item()  # -
        broken = x.isnan().any().item()  # -
        if error < 0.3:
            x, time = x * 0.5, time + width
        width *= 0.5 if error > 0.1 else 1.1
        total, spent = max(total, worst), spent + broken
    return x


def early(x):
    if x.min() > 9:  # -
        return x
    return x + 1


robot, meter, history = Robot(), Meter(), []
for step in range(8):
    loss = early(advance(settle(weight * 1), 0.5)).square().sum()
    loss.backward()
    optimizer.step()
    reached = robot.move(loss.item())  # host
    whole = math.fsum(weight.tolist())  # host
    weight.data.masked_fill_(weight > 9, loss.item())  # -
    meter.update(loss.item())  # -
    history.append(loss.item())  # -
    value = float(loss.detach())  # -
    if loss > 1e9:  # -
        raise RuntimeError("too large")
    if step % 4 == 3:
        print(weight.norm().item())  # seldom
        print([x.item() for x in weight.tile(2)])  # -
"""
REASONS = {"loop": "The loop", "host": "Code of the host", "seldom": "It comes in few", "-": ""}


def test_only_reads_that_are_needed_are_info(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    predicted = run_here(program, steps=6)
    wanted = {
        number: REASONS[mark[1]]
        for number, line in enumerate(PROGRAM.splitlines(), 1)
        if (mark := re.search(r"  # (\S+)$", line))
    }
    found = {
        predicted["sites"][finding["sites"][0]]["source"]["line"]: finding
        for finding in predicted["findings"]
    }
    assert found.keys() == wanted.keys()
    for line, finding in found.items():
        assert finding["severity"] == ("info" if wanted[line] else "low"), line
        assert finding["fix"].startswith(wanted[line]), line
