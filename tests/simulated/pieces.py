"""Pieces of code as they are and as they should be: of one step, on one thread.

What a fix truly brings is drawn: a product runs at any rate up to that of the data sheet, a fused kernel
makes one pass over the data or a little more, and a graph launches what was launched one by one.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from program import Action, Launch, Program, Work
from random_actions import Actions

Pair: TypeAlias = tuple[list[Action], list[Action]]
"""The piece as it is in one step, and as it should be."""

LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
UPDATE, ZEROING = "Optimizer.step#AdamW.step", "Optimizer.zero_grad#AdamW.zero_grad"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One training before and after."""

    before: Program
    after: Program
    device: str


class Pieces:
    """Draws a piece of code; all steps have the same one, each duration a little off."""

    def __init__(self, draw: random.Random, step: Sequence[Action]) -> None:
        self.draw = draw
        self.step_ns = sum(action.length_ns for action in step if isinstance(action, Work))
        """About what the host does in a step."""
        self.actions = Actions(draw, frozenset())
        self.host_ns = draw.uniform(3_000, 25_000)
        self.kernel_ns = 10 ** draw.uniform(3.4, 5.3)
        self.count = draw.randint(4, 40)
        self.gain = draw.random()
        """How near to the best the fix comes, 0 to 1."""

    def launch(self, op: str, *, name: str = "kernel", code: str = "", kernel_ns: float = 0) -> Launch:
        around = self.actions.around
        return Launch(
            call_ns=around(4_500, 0.1),
            latency_ns=around(7_500, 0.1),
            runs_ns=(around(kernel_ns or self.kernel_ns, 0.05),),
            gap_ns=around(1_000, 0.1),
            name=name,
            op=f"aten::{op}",
            host_ns=around(self.host_ns, 0.1),
            code=code,
        )

    def best(self, rate: float) -> float:
        """How many times as fast it gets, of at most `rate` times."""
        return 1 + self.gain * (rate - 1)

    def faster(self, name: str, rate: float) -> Pair:
        piece = [self.launch("mm", name=name) for _ in range(self.count)]
        speed = self.best(rate)
        return [*piece], [with_runs(each, each.runs_ns[0] / speed) for each in piece]

    def reordering(self) -> Pair:
        """Each convolution changes the layout of what it reads and of what it writes."""
        name = "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(int)"
        before: list[Action] = []
        after: list[Action] = []
        for _ in range(self.count):
            turn = self.launch("cudnn_convolution", name=name, kernel_ns=self.kernel_ns / 4)
            convolve = self.launch("cudnn_convolution", name="sm80_xmma_fprop_implicit_gemm_nhwc")
            back = dataclasses.replace(turn, host_ns=1_000)
            before += [turn, dataclasses.replace(convolve, host_ns=1_000), back]
            after.append(dataclasses.replace(convolve, host_ns=turn.host_ns))
        return before, after

    def written_out(self, ops: Sequence[str]) -> Pair:
        before: list[Action] = []
        after: list[Action] = []
        for _ in range(max(self.count // 4, 1)):
            formula = [self.launch(op) for op in ops]
            before += [*formula, self.launch("linear")]
            one_pass = min(each.runs_ns[0] for each in formula) * (1 + 0.5 * (1 - self.gain))
            after += [with_runs(dataclasses.replace(formula[0], op="aten::fused"), one_pass), before[-1]]
        return before, after

    def update(self) -> Pair:
        """One parameter after the other, and all in a few."""
        each_ns = min(self.kernel_ns, 20_000)
        ops = ("mul_", "lerp_", "addcmul_", "addcdiv_")
        one_by_one = [
            self.launch(op, code=UPDATE, kernel_ns=each_ns) for _ in range(self.count + 15) for op in ops
        ]
        takes = sum(each.runs_ns[0] for each in one_by_one) * (1 - 0.5 * self.gain) / len(ops)
        together = [self.launch(f"_foreach_{op}", code=UPDATE, kernel_ns=takes) for op in ops]
        return [*one_by_one], [*together]

    def fused_update(self) -> Pair:
        ops = ("mul_", "lerp_", "addcmul_", "sqrt", "add_", "addcdiv_")
        several = [self.launch(f"_foreach_{op}", code=UPDATE) for op in ops]
        longest = max(each.runs_ns[0] for each in several)
        fused = self.launch("_fused_adamw_", code=UPDATE, kernel_ns=longest * (1.5 - 0.5 * self.gain))
        return [*several], [fused]

    def zeroing(self) -> Pair:
        fills = [self.launch("zero_", code=ZEROING, kernel_ns=3_000) for _ in range(self.count + 10)]
        return [*fills], [Work(2_000)]

    def launched_one_by_one(self, code: str) -> Pair:
        """And as a graph, between whose kernels there is less of a gap."""
        each_ns = min(self.kernel_ns, 9_000)
        piece = [self.launch("mul", code=code, kernel_ns=each_ns) for _ in range(self.count + 10)]
        graph = dataclasses.replace(
            piece[0],
            runs_ns=tuple(each.runs_ns[0] for each in piece),
            gap_ns=int(piece[0].gap_ns * (1 - 0.7 * self.gain)),
            call_ns=self.actions.around(12_000, 0.2),
        )
        return [*piece], [graph]

    def loading(self) -> Pair:
        length = self.actions.around(10 ** self.draw.uniform(5, 7), 0.2)
        ready = min(self.actions.around(50_000 + 400_000 * (1 - self.gain), 0.2), length)
        return [Work(length, code=LOADER)], [Work(ready, code=LOADER)]

    def pausing(self) -> Pair:
        length = self.actions.around(10 ** self.draw.uniform(5.3, 6.7), 0.2)
        return [Work(length, code="augment")], [Work(int(length * 0.5 * (1 - self.gain)), code="augment")]

    def recomputed(self) -> Pair:
        code = "torch/utils/checkpoint.py(1500): recompute_fn"
        return [self.launch("linear", code=code) for _ in range(self.count)], []


def with_runs(launch: Launch, length_ns: float) -> Launch:
    return dataclasses.replace(launch, runs_ns=(max(int(length_ns), 1),))
