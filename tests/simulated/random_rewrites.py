"""Trainings in which something is not as it should be, and the same with that as it should be."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence

import communication_pieces as communication
from loop_pieces import item_by_item
from more_pieces import biased, compiling, emptying, loading_a_little, small_grids
from pieces import Pair, Pieces, Rewrite
from program import MAIN, Action, Launch, Program
from random_programs import random_program
from whole_rewrites import WHOLE_REWRITES

A100, V100 = "NVIDIA A100-SXM4-80GB", "Tesla V100-SXM2-32GB"

RMS_NORM = ("pow", "mean", "add", "rsqrt", "mul", "mul")
LAYER_NORM = ("mean", "sub", "pow", "mean", "add", "sqrt", "div")
GELU = ("mul", "pow", "mul", "add", "mul", "tanh", "add", "mul")
ATTENTION = ("matmul", "div", "softmax", "matmul")
LOSS = ("softmax", "log")


REWRITES: dict[str, tuple[str, str, Callable[[Pieces], Pair]]] = {
    "half precision": ("PRC01", V100, lambda p: p.faster("volta_sgemm_128x64_nn", 7.9)),
    "TF32": ("PRC02", A100, lambda p: p.faster("ampere_sgemm_128x64_nn", 8.0)),
    "padded sizes": (
        "PRC03",
        A100,
        lambda p: p.faster("cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1", 4.0),
    ),
    "channels last": ("PRC04", A100, lambda p: p.reordering()),
    "single precision": (
        "PRC07",
        A100,
        lambda p: p.faster("void at::native::vectorized_elementwise_kernel<4, (double const*), 2>(int)", 64),
    ),
    "fused RMS norm": ("FUS01", A100, lambda p: p.written_out(RMS_NORM)),
    "fused layer norm": ("FUS02", A100, lambda p: p.written_out(LAYER_NORM)),
    "fused activation": ("FUS03", A100, lambda p: p.written_out(GELU)),
    "fused attention": ("FUS04", A100, lambda p: p.written_out(ATTENTION)),
    "fused loss": ("FUS05", A100, lambda p: p.written_out(LOSS)),
    "foreach optimizer": ("OPT01", A100, lambda p: p.update()),
    "fused optimizer": ("OPT02", A100, lambda p: p.fused_update()),
    "gradients set to none": ("OPT03", A100, lambda p: p.zeroing()),
    "CUDA graph": ("LCH01", A100, lambda p: p.launched_one_by_one("loss")),
    "CUDA graph of compiled code": (
        "LCH03",
        A100,
        lambda p: p.launched_one_by_one("Torch-Compiled Region: 0/0"),
    ),
    "less work on the host": ("LCH02", A100, lambda p: p.pausing()),
    "all items at once": ("LCH08", A100, item_by_item),
    "ready batches": ("DAT01", A100, lambda p: p.loading()),
    "no recomputing": ("MEM04", A100, lambda p: p.recomputed()),
    "no bias": ("PRC06", A100, biased),
    "fuller grids": ("LCH05", A100, small_grids),
    "memory kept": ("MEM02", A100, emptying),
    "compiled before": ("CMP01", A100, compiling),
    "workers": ("DAT02", A100, loading_a_little),
    "gradients as views": ("DST03", A100, communication.copying_back),
    "buffers of its own": ("DST03", A100, communication.broadcasting),
    "no search": ("DST03", A100, communication.searching),
    "larger messages": ("DST04", A100, communication.many_messages),
    "one exchange": ("DST06", A100, communication.accumulating),
}
"""By what the fix is: the check that names it, the device, and the piece of code."""


CHECKED_BY = {fix: code for fix, (code, *_) in {**REWRITES, **WHOLE_REWRITES}.items()}
"""By what the fix is: the check that names it."""


def random_rewrite(fix: str, seed: int) -> Rewrite:
    """The training of this seed as it is and as it should be, always the same; what was before stays."""
    if fix in WHOLE_REWRITES:
        draw = random.Random(f"rewrite {fix} {seed}")
        return Rewrite(*WHOLE_REWRITES[fix][1](draw, random_program(seed)), A100)
    return _with_piece(fix, seed)


def _with_piece(fix: str, seed: int) -> Rewrite:
    """With such a piece in each step."""
    program = random_program(seed)
    if fix == "one exchange":
        program = _without_other_exchange(program, seed)
    _, device, piece = REWRITES[fix]
    draw = random.Random(f"rewrite {fix} {seed}")
    pieces = Pieces(draw, program.steps[0])
    place = 0.0 if fix in ("ready batches", "workers") else draw.random()
    before, after = [], []
    for number, step in enumerate(program.steps):
        wrong, right = piece(pieces)
        at = _place_on_main(step, place)
        before.append((*step[:at], *wrong, *step[at:]))
        is_recorded = number >= program.steps_before
        after.append((*step[:at], *(right if is_recorded else wrong), *step[at:]))
    talks = any(isinstance(action, Launch) and action.talks for action in before[0])
    program = dataclasses.replace(program, kernels_share=program.kernels_share or talks)
    return Rewrite(
        dataclasses.replace(program, steps=tuple(before)),
        dataclasses.replace(program, steps=tuple(after)),
        device,
    )


def _without_other_exchange(program: Program, seed: int) -> Program:
    """All-reduces of something else among the passes would make them look like those of two models."""
    while "collectives" in program.traits:
        seed += 1_000_000
        program = random_program(seed)
    return program


def _place_on_main(step: Sequence[Action], share: float) -> int:
    """Where the thread of the training goes on, about at this part of the step."""
    on_main = [at for at, action in enumerate(step) if action.thread == MAIN] or [0]
    return on_main[int(share * len(on_main))]
