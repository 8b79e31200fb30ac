"""What the tables of a trace say first."""

from __future__ import annotations

import pytest

from tbprof.texts.tables import operators_headline


@pytest.mark.parametrize(
    ("largest", "said"),
    [
        (
            [("aten::mm", 0.6), ("aten::add", 0.2)],
            "`aten::mm` and `aten::add` take 80\u202f% of the GPU's time.",
        ),
        (
            [("record_param_comms", 0.69), ("aten::mm", 0.2)],
            "Communication (`record_param_comms`) and `aten::mm` take 89\u202f% of the GPU's time.",
        ),
        (
            [("aten::mm", 0.6), ("record_param_comms", 0.2)],
            "`aten::mm` and communication (`record_param_comms`) take 80\u202f% of the GPU's time.",
        ),
    ],
)
def test_communication_is_called_so(largest: list[tuple[str, float]], said: str) -> None:
    assert operators_headline("name", largest, has_device=True) == said
