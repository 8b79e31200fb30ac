"""What preflight changes in torch is as it was before, however it ends."""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tbprof.errors import UsageError  # noqa: E402
from tbprof.preflight.patches.all_patches import PATCHES  # noqa: E402
from tbprof.preflight.session import Preflight  # noqa: E402


def attributes() -> dict[tuple[str, Any], Any]:
    """Every patched attribute as it stands in its owner's own namespace."""
    return {(patch.owner, patch.name): own_attribute(patch.owner, patch.name) for patch in PATCHES}


def own_attribute(path: str, name: Any) -> Any:
    module, _, inside = path.partition(":")
    owner = import_module(module)
    for part in inside.split(".") if inside else ():
        owner = getattr(owner, part)
    return (owner if isinstance(owner, dict) else vars(owner)).get(name, "absent")


def train(steps: int) -> None:
    model = torch.nn.Linear(2, 1).to("cuda")
    optimizer = torch.optim.SGD(model.parameters())
    for _ in range(steps):
        model(torch.ones(1, 2, device="cuda")).sum().backward()
        optimizer.step()


@pytest.fixture(scope="module")
def before() -> dict[tuple[str, Any], Any]:
    return attributes()


def assert_untouched(before: dict[tuple[str, Any], Any]) -> None:
    after = attributes()
    assert [place for place in before if before[place] is not after[place]] == []
    assert torch.utils._python_dispatch._len_torch_dispatch_stack() == 0
    assert not torch.ones(1).is_cuda


def test_all_is_as_before_after_the_end(before: dict[tuple[str, Any], Any]) -> None:
    with Preflight():
        changed = attributes()
        train(1)
    assert sum(before[place] is not changed[place] for place in before) > 150
    assert_untouched(before)


def test_all_is_as_before_after_the_stop(before: dict[tuple[str, Any], Any]) -> None:
    with Preflight(steps=1, warmup=0) as preflight:
        train(5)
    assert preflight.prediction.ending == "stopped"
    assert_untouched(before)


def test_all_is_as_before_after_an_exception(before: dict[tuple[str, Any], Any]) -> None:
    with pytest.raises(ZeroDivisionError), Preflight() as preflight:
        _ = 1 / 0
    assert (preflight.prediction.ending, len(preflight.findings)) == ("failed", 0)
    assert_untouched(before)


def test_one_preflight_inside_another_hears_its_own_part(before: dict[tuple[str, Any], Any]) -> None:
    with Preflight(steps=None) as outer:
        torch.ones(1, device="cuda").item()
        with Preflight(steps=1, warmup=0) as inner:
            train(5)
        torch.ones(1, device="cuda").item()
    assert [site.kind for site in inner.sites] == ["upload"]
    assert [site.kind for site in outer.sites] == ["upload", "scalar_read", "scalar_read"]
    assert_untouched(before)


def test_the_thread_that_outlives_it_sees_a_plain_torch(before: dict[tuple[str, Any], Any]) -> None:
    go, seen = threading.Event(), []

    def late() -> None:
        go.wait(10)
        seen.append(torch.ones(2).sum().item())

    with Preflight():
        thread = threading.Thread(target=late)
        thread.start()
    assert_untouched(before)
    go.set()
    thread.join()
    assert seen == [2.0]


def test_what_was_made_inside_is_plain_afterwards() -> None:
    with Preflight():
        made = torch.ones(2, device="cuda")
        assert str(made.device) == "cuda:0"
    assert str(made.device) == "cpu"
    assert made.numpy().tolist() == [1.0, 1.0]


def test_bad_numbers_of_steps_are_refused() -> None:
    with pytest.raises(UsageError, match="0 steps"):
        Preflight(steps=0)


def test_a_prediction_is_read_after_the_block() -> None:
    with Preflight() as preflight, pytest.raises(UsageError, match="once the with block has ended"):
        _ = preflight.prediction
