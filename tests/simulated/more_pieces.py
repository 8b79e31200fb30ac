"""More pieces of code: of the input, of convolutions, of memory, of compiling."""

from __future__ import annotations

import dataclasses

from pieces import Pair, Pieces, with_runs
from program import Action, Allocate, Launch, Work

ONE_PROCESS = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
EMPTY_CACHE = "/usr/lib/python3/site-packages/torch/cuda/memory.py(250): empty_cache"


def loading_a_little(pieces: Pieces) -> Pair:
    """The batch takes up to a fifteenth of what the host does in a step.

    Of workers it is taken over in 20 us, or later where they are not done.
    """
    length = pieces.actions.around(pieces.step_ns * pieces.draw.uniform(0.005, 0.07), 0.1)
    ready = min(max(pieces.actions.around(20_000, 0.2), round(length * (1 - pieces.gain))), length)
    return [Work(length, code=ONE_PROCESS)], [Work(ready, code=ONE_PROCESS)]


def biased(pieces: Pieces) -> Pair:
    """Convolutions before a batch norm that add a bias, and sum up its gradient."""
    forward: list[Action] = []
    backward: list[Action] = []
    share = pieces.draw.uniform(0.1, 1)
    for number in range(max(pieces.count // 3, 1)):
        conv, gradient = f"aten::conv2d#{number}", f"ConvolutionBackward0#{number}"
        forward += [
            pieces.launch("cudnn_convolution", code=conv),
            pieces.launch("add_", code=conv, kernel_ns=pieces.kernel_ns * share),
            pieces.launch("batch_norm"),
        ]
        backward += [
            pieces.launch("convolution_backward", code=gradient),
            pieces.launch("sum", code=gradient, kernel_ns=pieces.kernel_ns * share),
            pieces.launch("threshold_backward"),
        ]
    before = [*forward, *backward]
    biases = ("aten::add_", "aten::sum")
    return before, [one for one in before if not (isinstance(one, Launch) and one.op in biases)]


def small_grids(pieces: Pieces) -> Pair:
    """On a part of the multiprocessors; spread over all, at best as much faster as there are more."""
    blocks = pieces.draw.uniform(0.03, 0.9)
    small = [dataclasses.replace(pieces.launch("mm"), blocks=blocks) for _ in range(pieces.count)]
    speed = pieces.best(1 / blocks)
    return [*small], [with_runs(each, each.runs_ns[0] / speed) for each in small]


def emptying(pieces: Pieces) -> Pair:
    """`empty_cache()`: blocks are freed, and what comes next asks for them again."""
    frees = [
        Allocate("cudaFree", pieces.actions.around(60_000, 0.5), EMPTY_CACHE)
        for _ in range(pieces.draw.randint(2, 8))
    ]
    again: list[Action] = []
    for _ in range(pieces.draw.randint(1, 6)):
        again += [Allocate("cudaMalloc", pieces.actions.around(120_000, 0.5)), pieces.launch("mm")]
    kept = [one for one in again if isinstance(one, Launch)]
    return [*frees, *again], [*kept]


def compiling(pieces: Pieces) -> Pair:
    length = pieces.actions.around(10 ** pieces.draw.uniform(5, 7.5), 0.2)
    guards = Work(int(2_000 + 20_000 * pieces.gain))
    return [Work(length, code="entire_frame_compile (dynamo_timed)")], [guards]
