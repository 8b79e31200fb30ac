"""The names of code in words by which it can be found."""

from __future__ import annotations

import pytest

from tbprof.texts.figures.places import place_words


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ("MoE[experts=64, topk=2]", 'record_function("MoE[experts=64, topk=2]")'),
        ("src/model.py(252): forward", "src/model.py:252 forward"),
        ("src/train.py: <module>", "<module> of src/train.py"),
        ("nn.Module: Attention_3", "module Attention_3"),
        ("Optimizer.step#AdamW.step", "AdamW.step()"),
        ("aten::copy_", "operator aten::copy_"),
        ("autograd::engine::evaluate_function: MseLossBackward0", "the backward pass of MseLoss"),
        ("Torch-Compiled Region: 3/0", "compiled region 3/0"),
        ("torch.compile: denoise", 'compiled code in record_function("denoise")'),
        ("torch.compile: ## Call CompiledFxGraph fp5r5pk7bndvtfxh ##", "a compiled graph (fp5r5pk7…)"),
        (
            "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
            "next(loader), in the training process",
        ),
        ("backward", "backward"),
        ("", ""),
    ],
)
def test_a_recorded_name_is_said_so_that_it_can_be_found(recorded: str, said: str) -> None:
    assert place_words(recorded) == said
