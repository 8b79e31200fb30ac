"""What a flame graph shows first."""

from __future__ import annotations

import pytest

from tbprof.texts.icicle import icicle_opening


def opening(*parts: tuple[str, float], on_device: bool = True, of_step: bool = True) -> str:
    said = icicle_opening(80_000, parts, on_device=on_device, of_step=of_step)
    return said.replace("\u202f", " ")


def test_it_names_the_largest_parts() -> None:
    parts = (("aten::conv2d", 0.53), ("Owlv2Encoder_0", 0.12))
    assert (
        opening(*parts)
        == "A step's GPU work takes 80.0 ms: 53 % in `aten::conv2d` and 12 % in `Owlv2Encoder_0`."
    )
    assert opening(on_device=False, of_step=False) == "The window takes the host 80.0 ms."


def test_names_of_places_say_where_themselves() -> None:
    parts = (("loss", 0.5), ("before the modules", 0.3), ("Net", 0.1))
    said = icicle_opening(1000, parts, on_device=True, of_step=True, worded={"loss", "before the modules"})
    assert said.replace("\u202f", " ").endswith(": 50 % in loss, 30 % before the modules and 10 % in `Net`.")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("/home/me/src/train.py(36): forward", "`forward (train.py:36)`"),
        ("autograd::engine::evaluate_function: MmBackward0", "`MmBackward0`"),
        ("x" * 61, f"`{'x' * 59}\u2026`"),
    ],
)
def test_a_long_name_is_shortened(name: str, shown: str) -> None:
    assert opening((name, 0.5)).endswith(f"50 % in {shown}.")
