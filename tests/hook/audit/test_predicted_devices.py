"""Where tensors of a run without a GPU would be: by what a step does with them, and never by a guess."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tbprof.hook.audit.line_recorder import LineRecorder  # noqa: E402
from tbprof.hook.audit.predicted_devices import place_of  # noqa: E402
from tbprof.hook.safety.guard import MissingFacts  # noqa: E402
from tbprof.model import DEVICE, HOST, MADE_ON_HOST, UNKNOWN, RecordedCall  # noqa: E402

MODEL = torch.nn.Linear(4, 2)
CHOSEN = "cuda" if torch.cuda.is_available() else "cpu"
OLD = torch.ones(3, 4)
MISSING = MissingFacts()


def recorded(step: Callable[[], Any]) -> tuple[RecordedCall, ...]:
    recorder = LineRecorder(MISSING)
    recorder.begin()
    try:
        step()
    finally:
        recorder.end()
    assert MISSING.facts == ()
    return recorder.log.calls


def places(step: Callable[[], Any], call: str) -> list[tuple[str, ...]]:
    return [each.places for each in recorded(step) if each.call == call]


def test_what_is_computed_with_parameters_is_on_the_device() -> None:
    assert places(lambda: MODEL(OLD).sum().item(), "item") == [(DEVICE,)]
    assert places(lambda: MODEL.weight.detach().norm().item(), "item") == [(DEVICE,)]


def test_what_torch_makes_without_being_told_is_on_the_host() -> None:
    assert places(lambda: (torch.arange(4) + 1).sum().item(), "item") == [(HOST,)]
    assert places(lambda: torch.ones(2).to(CHOSEN), "to") == [(MADE_ON_HOST, DEVICE)]
    assert places(lambda: torch.ones(2, device=CHOSEN).sum().item(), "item") == [(DEVICE,)]


def test_of_what_was_there_before_nothing_is_known_until_it_moves() -> None:
    def step() -> None:
        OLD.sum().item()
        OLD.to(CHOSEN).sum().item()

    assert places(step, "item") == [(UNKNOWN,), (DEVICE,)]


def test_the_buffers_of_a_model_are_on_the_device() -> None:
    norm = torch.nn.BatchNorm1d(2)
    assert places(lambda: bool(norm.running_mean[0] == 0), "__bool__") == [(DEVICE,)]


def test_a_tensor_moves_once_and_again_at_the_same_line_in_the_next_step() -> None:
    batch = torch.ones(3, 4)

    def step() -> None:
        first = batch.to(CHOSEN)
        first.to(CHOSEN)

    recorder = LineRecorder(MISSING)
    recorder.begin()
    for _ in range(2):
        step()
    recorder.end()
    moves = {call.line - step.__code__.co_firstlineno: call.places for call in recorder.log.calls}
    assert moves == {1: (UNKNOWN, DEVICE), 2: (DEVICE, DEVICE)}


def test_a_function_that_moves_for_two_callers_moves_what_the_first_one_gave_no_more() -> None:
    def moved(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(CHOSEN)

    def step() -> None:
        batch = moved(torch.ones(3, 4))
        moved(batch)

    assert places(step, "to") == [(MADE_ON_HOST, DEVICE), (DEVICE, DEVICE)]


def test_a_tensor_of_another_type_is_where_the_first_one_was() -> None:
    def step() -> None:
        mask = torch.ones(3, dtype=torch.int64).to(CHOSEN)
        assert bool(mask.to(device=CHOSEN, dtype=torch.bool).all())
        assert bool(mask.to(torch.bool).any())

    assert places(step, "__bool__") == [(DEVICE,), (DEVICE,)]


def test_a_device_that_a_tensor_was_asked_for_is_that_tensors() -> None:
    def step() -> None:
        host = torch.arange(4)
        torch.tensor([1.0], device=host.device)
        loss = MODEL(OLD)
        loss.detach().to(loss.device)
        torch.tensor([1.0], device=loss.device)

    assert places(step, "tensor") == [(HOST, HOST), (HOST, DEVICE)]
    assert places(step, "to") == [(DEVICE, DEVICE)]


def test_a_line_that_names_the_cpu_means_the_host() -> None:
    assert places(lambda: MODEL(OLD).detach().to("cpu"), "to") == [(DEVICE, HOST)]


def test_a_copy_to_the_host_is_read_once() -> None:
    def step() -> None:
        MODEL(OLD).detach().cpu().numpy()

    assert places(step, "cpu") == [(DEVICE, HOST)]
    assert places(step, "numpy") == [(HOST, HOST)]


def test_an_index_of_the_host_goes_to_the_device_and_a_mask_of_the_device_is_read() -> None:
    def step() -> None:
        out = MODEL(OLD)
        out[[0, 1]]
        out[torch.tensor([1])]
        out[out > 0]
        torch.arange(4)[[0, 1]]

    assert places(step, "__getitem__") == [(HOST, DEVICE), (HOST, DEVICE), (DEVICE,), (HOST, MADE_ON_HOST)]


def test_gradients_are_where_their_parameters_are() -> None:
    def step() -> None:
        MODEL(OLD).sum().backward()
        torch.nn.utils.clip_grad_norm_(MODEL.parameters(), 1.0)

    assert {call.places for call in recorded(step)} <= {(DEVICE, DEVICE)}


def test_a_tensor_without_a_storage_is_only_unknown() -> None:
    assert places(lambda: torch.eye(3).to_sparse().to_dense().to(CHOSEN), "to") == [(UNKNOWN, DEVICE)]


def test_a_storage_shows_no_mark_and_another_one_at_its_address_has_none() -> None:
    def step() -> list[Any]:
        made = torch.arange(4)
        assert place_of(made) == MADE_ON_HOST
        held = vars(made.untyped_storage())
        address = torch._C._storage_address(made)
        del made
        with torch._C.DisableTorchFunction():
            others = [torch.ones(4) for _ in range(50)]
        return [held, [place_of(one) for one in others if torch._C._storage_address(one) == address]]

    found: list[Any] = []
    recorded(lambda: found.extend(step()))
    assert found[0] == {}
    assert set(found[1]) <= {UNKNOWN}
