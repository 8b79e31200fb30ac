"""The DataLoaders and optimizers that a program holds."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.utils.data import DataLoader

from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window.live_objects import live_loaders_and_optimizers
from tbprof.model import LoaderFacts, OptimizerFacts


class Images(list[int]):
    """A dataset."""


def test_they_are_told_with_what_decides_their_speed() -> None:
    loader = DataLoader(Images(range(4)), batch_size=2, num_workers=1, prefetch_factor=7)
    parameters = [torch.ones(2, requires_grad=True) for _ in range(3)]
    optimizer = torch.optim.AdamW([{"params": parameters[:1]}, {"params": parameters[1:]}], foreach=True)
    loaders, optimizers = live_loaders_and_optimizers(MissingFacts())
    assert LoaderFacts("Images", 2, 1, False, 7, False) in loaders
    assert OptimizerFacts("AdamW", True, None, False, 2, 3) in optimizers
    del loader, optimizer


class OwnOptimizer(torch.optim.Optimizer):
    """One that knows nothing of torch's switches."""

    def __init__(self, parameters: list[torch.Tensor]) -> None:
        super().__init__(parameters, {"lr": 0.1})


def test_an_optimizer_of_the_user_s_own_has_no_switches() -> None:
    optimizer = OwnOptimizer([torch.ones(2)])
    _, optimizers = live_loaders_and_optimizers(MissingFacts())
    assert OptimizerFacts("OwnOptimizer", None, None, None, 1, 1) in optimizers
    del optimizer


class Trainer:
    """Holds them as frameworks do."""

    def __init__(self) -> None:
        self.state = {"optimizers": [OwnOptimizer([torch.ones(2)])]}
        self.loop = {"fetcher": (DataLoader(Images(range(4))),)}

    def run(self) -> tuple[tuple[LoaderFacts, ...], tuple[OptimizerFacts, ...]]:
        return live_loaders_and_optimizers(MissingFacts())


def test_they_are_found_in_what_a_framework_holds() -> None:
    """On a thread of its own: below it lie no frames of a test runner with its thousands of tests."""
    with ThreadPoolExecutor(1) as pool:
        loaders, optimizers = pool.submit(Trainer().run).result()
    assert "Images" in {loader.dataset for loader in loaders}
    assert "OwnOptimizer" in {optimizer.name for optimizer in optimizers}


def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with each search through all objects."""
    done: list[int] = []
    get_referrers = gc.get_referrers

    def counted(*kinds: object) -> list[object]:
        done.append(len(kinds))
        return get_referrers(*kinds)

    monkeypatch.setattr(gc, "get_referrers", counted)
    return done


def test_a_second_window_searches_again_only_where_something_came_or_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = MissingFacts()
    loader = DataLoader(Images(range(4)), batch_size=2)
    optimizer = OwnOptimizer([torch.ones(2)])
    first = live_loaders_and_optimizers(missing)
    done = searches(monkeypatch)
    assert live_loaders_and_optimizers(missing) == first
    assert done == []
    second = DataLoader(Images(range(4)), batch_size=67)
    assert 67 in {found.batch_size for found in live_loaders_and_optimizers(missing)[0]}
    assert len(done) == 1
    loader = DataLoader(Images(range(4)), batch_size=71)
    assert 71 in {found.batch_size for found in live_loaders_and_optimizers(missing)[0]}
    assert len(done) == 2
    del second
    assert 67 not in {found.batch_size for found in live_loaders_and_optimizers(missing)[0]}
    assert len(done) == 3
    optimizer.param_groups.append({"params": [torch.ones(3)]})
    assert 2 in {found.groups for found in live_loaders_and_optimizers(missing)[1]}
    assert len(done) == 3
    del loader, optimizer


def test_looking_keeps_no_loader_and_no_optimizer_alive() -> None:
    loader, optimizer = DataLoader(Images(range(4))), OwnOptimizer([torch.ones(2)])
    live_loaders_and_optimizers(MissingFacts())
    alive = weakref.ref(loader), weakref.ref(optimizer)
    del loader, optimizer
    assert [one() for one in alive] == [None, None]


def test_looking_keeps_nothing_of_a_function_alive() -> None:
    values = torch.ones(3)
    live_loaders_and_optimizers(MissingFacts())
    alive = weakref.ref(values)
    del values
    assert alive() is None


def test_what_a_function_took_of_its_variables_stays_its_own() -> None:
    rate = 0.1
    config = locals()
    later = rate
    live_loaders_and_optimizers(MissingFacts())
    assert config == {"rate": later}


class WrappedOptimizer(torch.optim.Optimizer):
    """One around another, which never runs the `__init__` of torch's."""

    def __init__(self, inner: torch.optim.Optimizer) -> None:
        self.inner = inner

    @property
    def param_groups(self) -> list[dict[str, object]]:  # type: ignore[override]
        return self.inner.param_groups


class LazyLoader(DataLoader[int]):
    """One that makes its dataset each time it is asked for it."""

    times_asked = 0

    @property
    def dataset(self) -> Images:  # type: ignore[override]
        LazyLoader.times_asked += 1
        return Images(range(4))

    @dataset.setter
    def dataset(self, given: Images) -> None: ...


def test_one_that_does_not_answer_is_missing_and_costs_no_other() -> None:
    wrapped = WrappedOptimizer(OwnOptimizer([torch.ones(2)]))
    lazy, loader = LazyLoader(Images(range(4))), DataLoader(Images(range(4)), batch_size=3)
    missing, times_asked = MissingFacts(), LazyLoader.times_asked
    loaders, optimizers = live_loaders_and_optimizers(missing)
    assert LazyLoader.times_asked == times_asked
    assert "OwnOptimizer" in {found.name for found in optimizers}
    assert 3 in [found.batch_size for found in loaders]
    assert {fact.name: fact.reason for fact in missing.facts} == {
        "loaders": "KeyError: 'dataset'",
        "optimizers": "KeyError: 'defaults'",
    }
    del wrapped, lazy, loader
