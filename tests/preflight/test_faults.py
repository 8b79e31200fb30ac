"""A fault of preflight's own bookkeeping is said, and never reaches the program."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tbprof.preflight.session import Preflight  # noqa: E402
from tbprof.preflight.watching import copies, mode  # noqa: E402


def broken(*_args: Any, **_kwargs: Any) -> Any:
    raise ZeroDivisionError("a fault of this test")


def test_an_upload_that_can_not_be_noted_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with Preflight() as preflight:
        monkeypatch.setattr(copies, "content_of", broken)
        moved = torch.ones(2).to("cuda")
        assert moved.is_cuda
    assert preflight.sites == ()
    (note,) = preflight.prediction.notes
    assert note.startswith("to could not be looked at (ZeroDivisionError: a fault of this test)")


def test_an_op_that_can_not_be_looked_at_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    with Preflight() as preflight:
        given = torch.ones(2, device="cuda")
        monkeypatch.setattr(mode, "places_among", broken)
        assert (given + given).shape == (2,)
        monkeypatch.undo()
    assert "aten::add could not be looked at" in preflight.prediction.notes[0]


def test_what_the_program_does_wrong_is_its_own_error() -> None:
    with Preflight() as preflight, pytest.raises(RuntimeError, match="must match"):
        torch.ones(2, device="cuda") + torch.ones(3, device="cuda")
    assert preflight.prediction.notes == ()


class Half(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 8, 3)
        self.norm = torch.nn.GroupNorm(2, 8)
        self.linear = torch.nn.Linear(8, 2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        rows = self.norm(self.convolution(images)).flatten(2).transpose(1, 2)
        attended = torch.nn.functional.scaled_dot_product_attention(rows, rows, rows)
        return self.linear(attended)


@pytest.mark.parametrize("is_module", [True, False], ids=["module", "autocast"])
def test_half_precision_keeps_its_types_and_nearly_its_numbers(is_module: bool) -> None:
    torch.manual_seed(0)
    plain, images = Half(), torch.randn(2, 3, 6, 6)
    expected = plain(images)
    expected.square().mean().backward()
    gradient = plain.convolution.weight.grad
    assert gradient is not None
    with Preflight(steps=None) as preflight:
        model, given = Half().to("cuda"), images.to("cuda")
        model.load_state_dict(plain.state_dict())
        if is_module:
            model, given = model.half(), given.half()
        with torch.autocast("cuda", enabled=not is_module):
            found = model(given)
        assert found.dtype is torch.float16
        found.float().square().mean().backward()
        weight = model.convolution.weight
        assert weight.grad is not None and weight.grad.dtype is weight.dtype
    torch.testing.assert_close(found.float(), expected, rtol=2e-2, atol=2e-3)
    torch.testing.assert_close(weight.grad.float(), gradient, rtol=5e-2, atol=1e-4)
    assert any("float16" in note for note in preflight.prediction.notes)
