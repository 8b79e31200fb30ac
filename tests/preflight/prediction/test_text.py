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
