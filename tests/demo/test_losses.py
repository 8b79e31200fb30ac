"""The fixed loss is the loss that was written by hand: to the last bit, gradients too."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from tbprof.demo import after, before
from tbprof.demo.patches import CLASSES

CPU = torch.device("cpu")


def loss_and_gradient(
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(16, CLASSES, generator=generator, requires_grad=True)
    labels = torch.randint(0, CLASSES, (16,), generator=generator)
    value = loss(logits, labels)
    value.backward()
    assert logits.grad is not None
    return value, logits.grad


def test_both_losses_are_equal() -> None:
    written, fixed = loss_and_gradient(before.PatchLoss(CPU)), loss_and_gradient(after.PatchLoss(CPU))
    assert torch.equal(written[0], fixed[0])
    assert torch.equal(written[1], fixed[1])


def test_they_are_torch_s_weighted_cross_entropy() -> None:
    def torch_s_own(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.cross_entropy(logits, labels, weight=torch.tensor(before.WEIGHTS))

    torch.testing.assert_close(loss_and_gradient(after.PatchLoss(CPU)), loss_and_gradient(torch_s_own))


@pytest.mark.parametrize(
    ("loss", "error"), [(before.PatchLoss(CPU), AssertionError), (after.PatchLoss(CPU), RuntimeError)]
)
def test_both_notice_a_label_out_of_range(
    loss: before.PatchLoss | after.PatchLoss, error: type[Exception]
) -> None:
    with pytest.raises(error):
        loss(torch.zeros(2, CLASSES), torch.tensor([0, CLASSES]))


def test_only_the_one_before_makes_its_weights_in_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    tensor = torch.tensor

    def note(data: object, device: torch.device | None = None) -> torch.Tensor:
        made.append("weights")
        return tensor(data, device=device)

    written, fixed = before.PatchLoss(CPU), after.PatchLoss(CPU)
    logits, labels = torch.zeros(2, CLASSES), tensor([0, 1])
    monkeypatch.setattr(torch, "tensor", note)
    for _ in range(3):
        written(logits, labels)
    assert len(made) == 3
    made.clear()
    for _ in range(3):
        fixed(logits, labels)
    assert made == []
