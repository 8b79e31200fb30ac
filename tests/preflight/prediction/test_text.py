"""What a terminal shows of a prediction."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tbprof.preflight.session import Preflight  # noqa: E402


def test_a_line_that_reads_in_two_ways_names_the_calls() -> None:
    with Preflight(steps=None) as preflight:
        loss = torch.ones((), device="cuda")
        _ = loss.item() + float(loss)
        loss.item()
    heads = [line for line in preflight.text().splitlines() if "[SYN01]" in line]
    assert [head.partition("[SYN01]")[2] for head in heads] == ["  by item", "  by __float__", ""]


def test_lines_that_wait_outside_the_steps_are_counted_and_the_first_are_named() -> None:
    with Preflight(steps=1, warmup=1) as preflight:
        weight = torch.ones(2).to("cuda")
        for read in (weight.tolist, weight.sum().item, weight.sum().item):
            read()
        weight.tolist()
        weight.sum().item(), weight.tolist()
        weight.tolist()
        for _ in range(2):
            preflight.step()
    first = test_lines_that_wait_outside_the_steps_are_counted_and_the_first_are_named.__code__.co_firstlineno
    said = preflight.text().rpartition("; ")[2]
    file = preflight.sites[0].source.file
    named = ", ".join(f"{file}:{first + at}" for at in (2, 4, 5))
    assert said.startswith(f"5 lines wait outside the steps only: {named} and 2 more.")
