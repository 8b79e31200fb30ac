"""What torch's functions compute is the same in the steps that are looked at, to the last bit."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import torch
from seen_values import digest, seed
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map

from tbprof.hook.audit.line_recorder import LineRecorder
from tbprof.hook.memory.followed_storages import StorageFollower
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.safety.operators import leave_operators, see_operators

MOST_SAMPLES = 6
"""Of each function, with and without gradients."""

CHANCE = ("empty", "resize", "bernoulli", "linalg.lstsq")
"""Functions that give what was in memory, in whole or in part."""

Around = Callable[[], AbstractContextManager[object]]


@contextlib.contextmanager
def audited() -> Iterator[None]:
    recorder = LineRecorder(MissingFacts())
    recorder.begin()
    try:
        yield
    finally:
        recorder.end()


@contextlib.contextmanager
def followed() -> Iterator[None]:
    follower = StorageFollower()
    see_operators(follower.note)
    try:
        yield
    finally:
        leave_operators(follower.note)
    assert follower.fault is None


def computed(function: Callable[..., Any], given: Any, around: Around) -> str:
    """Its outputs and gradients, or what it raises."""
    seed()
    values = tree_map(
        lambda v: v.detach().clone().requires_grad_(v.requires_grad) if isinstance(v, Tensor) else v,
        (given.input, given.args, given.kwargs),
    )
    with around():
        try:
            found = [function(values[0], *values[1], **values[2])]
            inputs = [v for v in tree_leaves(values) if isinstance(v, Tensor) and v.requires_grad]
            outputs = [v for v in tree_leaves(found) if isinstance(v, Tensor) and v.requires_grad]
            losses = [(v * v).sum() for v in outputs if v.is_floating_point()]
            if inputs and losses:
                found += torch.autograd.grad(torch.stack(losses).sum(), inputs, allow_unused=True)
            return digest(tree_leaves(found))
        except Exception as error:  # noqa: BLE001 - whatever it raises, it raises in each step
            return type(error).__name__


def differing(around: Around) -> dict[str, int]:
    """How many samples of a function it computes otherwise, by its name; of torch's own list."""
    lists = pytest.importorskip("torch.testing._internal.common_methods_invocations")
    found: dict[str, int] = {}
    for entry in lists.op_db:
        if any(part in entry.name for part in CHANCE) or torch.float32 not in entry.supported_dtypes("cpu"):
            continue
        for needs_gradient in (True, False):
            needs_gradient &= entry.supports_autograd
            with contextlib.suppress(StopIteration):
                samples = entry.sample_inputs("cpu", torch.float32, requires_grad=needs_gradient)
                for given in itertools.islice(samples, MOST_SAMPLES):
                    alone = computed(entry, given, contextlib.nullcontext)
                    if computed(entry, given, around) != alone:
                        found[entry.name] = found.get(entry.name, 0) + 1
    return found


@pytest.mark.exhaustive
def test_no_function_computes_otherwise_in_an_audit_step() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert differing(audited) == {}


@pytest.mark.exhaustive
def test_no_function_computes_otherwise_in_a_followed_step() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert differing(followed) == {}


@pytest.mark.parametrize("around", [audited, followed])
def test_what_a_dispatch_mode_would_change_is_computed_as_without_it(around: Around) -> None:
    rows = torch.randn(7, 7)
    ties = torch.tensor([1.0, 1.0, 0.0], requires_grad=True)

    def values() -> list[Tensor]:
        with torch.no_grad():
            found = [torch.linalg.svdvals(rows), torch.linalg.eigvalsh(rows @ rows.T)]
        weights = rows.clone().requires_grad_()
        return [*found, *torch.autograd.grad(weights.prod() + ties.max(), (weights, ties))]

    alone = values()
    with around():
        watched = values()
    assert digest(alone) == digest(watched)
