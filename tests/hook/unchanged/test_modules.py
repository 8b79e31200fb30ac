"""What a module computes is the same in each step of a watched training, to the last bit."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from kinds_of_steps import EVERYTHING, KINDS, steps_of_each_kind
from module_calls import CALLS, NOT_CALLED, modules_of_torch
from seen_values import digest, random_states, result_of, seed
from torch import Tensor, nn

MADE_BEFORE = torch.tensor(1.0)
"""The lines of a step that reads it are recorded once more."""

Results = dict[str, str]


def test_each_module_of_torch_has_a_call() -> None:
    known = {*CALLS, *NOT_CALLED}
    modules = modules_of_torch()
    assert {name for name in modules if not name.startswith("_")} - known == set()
    assert {name for name in known if hasattr(nn, name)} <= modules


def tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from tensors_in(inner)


def computed(name: str, *, is_training: bool, backward: bool) -> object:
    """All that a call of a module changes."""
    module, given = CALLS[name]()
    module.train(is_training)
    result = module(*given)
    losses = [part.sum() for part in tensors_in(result) if part.requires_grad] if backward else []
    if losses:
        torch.stack(losses).sum().backward()
    grads = [tensor.grad for tensor in (*given, *module.parameters()) if isinstance(tensor, Tensor)]
    return result, grads, dict(module.state_dict())


def step(names: Sequence[str], *, is_training: bool, backward: bool) -> Results:
    """Call these modules, every one with the same random numbers at hand."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        MADE_BEFORE.item()
        for name in names:
            seed()
            found[name] = result_of(
                lambda name=name: computed(name, is_training=is_training, backward=backward)
            )
            found[name] += random_states()
    return found


MODES: dict[str, tuple[bool, bool, Callable[[], AbstractContextManager[object]]]] = {
    "train": (True, True, nullcontext),
    "eval": (False, True, nullcontext),
    "eval without gradients": (False, False, torch.no_grad),
    "inference": (False, False, torch.inference_mode),
}


ASKING = [name for name in CALLS if re.search(r"Transformer|Attention|RNN|LSTM|GRU|Embedding|Norm", name)]
"""Modules that choose an implementation by what is around them, or whose forward changes something."""

SAMPLES = [
    pytest.param("train", [*CALLS][::3], EVERYTHING, id="train"),
    pytest.param("inference", [*CALLS], {}, id="inference"),
    pytest.param("eval without gradients", ASKING, EVERYTHING, id="eval without gradients"),
]

ALL = [
    pytest.param(mode, [*CALLS], options, id=f"all, {mode}, {name}", marks=pytest.mark.exhaustive)
    for mode in MODES
    for name, options in (("defaults", {}), ("everything", EVERYTHING))
]


@pytest.mark.parametrize(("mode", "names", "options"), [*SAMPLES, *ALL])
def test_every_module_computes_the_same_in_each_step(
    tmp_path: Path, mode: str, names: Sequence[str], options: dict[str, object]
) -> None:
    is_training, backward, around = MODES[mode]

    def work() -> Results:
        with around():
            return step(names, is_training=is_training, backward=backward)

    alone = work()
    assert work() == alone
    others = defaultdict(set)
    kinds = set()
    for kind, results in steps_of_each_kind(tmp_path / "run", work, **options):
        kinds.add(kind)
        for name, result in results.items():
            if result != alone[name]:
                others[name].add(kind)
    assert dict(others) == {}
    assert kinds == (KINDS if options else KINDS - {"inputs", "memory"})


def test_values_are_told_apart() -> None:
    assert digest(torch.zeros(2)) != digest(torch.tensor([0.0, -0.0]))
    assert digest([torch.ones(1)]) == digest([torch.ones(1)])
