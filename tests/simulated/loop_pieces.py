"""Loops over items, the same for all items at once, and repetitions of a training that are no such loops."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable

from pieces import Pair, Pieces
from program import AUTOGRAD, Action, Copy, Launch, Program, Work

_OPS = ("mul", "sub", "eq", "cat", "sum", "add", "clamp", "any", "gt", "where", "abs", "index_put_")
_WAITS = ("read", "upload", "mask", "tensor")
_VIEWS = ("select", "slice", "narrow", "view", "detach")


def item_by_item(pieces: Pieces) -> Pair:
    """Each turn launches a few short kernels, and mostly waits for something; turns branch and have pauses.

    An op takes the host 10 to 25 us, and one that copies 15 more. For all items at once as much is computed,
    or more, where they are padded to one size.
    """
    pieces.host_ns = 8_000 + 0.7 * pieces.host_ns
    code, around = random.Random(pieces.gain), pieces.actions.around
    pieces.host_ns = code.uniform(8_000, 25_000)
    ops = code.sample(_OPS, code.randint(2, 6))
    waits = [code.choice(_WAITS) for _ in range(code.choice((0, 1, 1, 2, 3)))]
    each_ns, pause_ns = 10 ** code.uniform(3.2, 3.9), 10 ** code.uniform(3.0, 5.0)
    branches, items = code.random() < 0.4, code.randint(10, 70)
    draw, turns = pieces.draw, max(round(items * pieces.draw.uniform(0.8, 1.2)), 8)
    before: list[Action] = []
    kernels: dict[str, list[Launch]] = {op: [] for op in ops}
    for _ in range(turns):
        turn: list[Action] = [Work(around(4_000), code=f"aten::{draw.choice(_VIEWS[:3])}")]
        for op in ops[: draw.randint(1, len(ops))] if branches and draw.random() < 0.3 else ops:
            kernels[op].append(pieces.launch(op, kernel_ns=each_ns))
            turn.append(kernels[op][-1])
            if draw.random() < 0.2:
                turn.append(Work(around(3_000), code=f"aten::{draw.choice(_VIEWS)}"))
        for wait in waits:
            turn += _waiting(pieces, wait)
        before += [*turn, Work(around(pause_ns, 0.5))]
    after: list[Action] = []
    for launched in kernels.values():
        spent_ns = sum(one.runs_ns[0] for one in launched)
        if launched:
            after.append(dataclasses.replace(launched[0], runs_ns=(round(spent_ns * draw.uniform(1, 1.5)),)))
    after += [pieces.launch("nonzero", kernel_ns=2_500 * turns)] if "mask" in waits else []
    return before, [*after, *(_all_at_once(pieces, before) if waits else [])]


def _all_at_once(pieces: Pieces, before: list[Action]) -> list[Action]:
    """What the turns copy in each direction, in one copy."""
    made: list[Action] = []
    for direction in ("HtoD", "DtoH"):
        copies = [one for one in before if isinstance(one, Copy) and one.direction == direction]
        if copies:
            sizes = sum(one.size_bytes for one in copies)
            made.append(dataclasses.replace(pieces.actions.upload(sizes), direction=direction))
    return made


def _waiting(pieces: Pieces, kind: str) -> list[Action]:
    """An op that copies, after what looks for the size of a mask."""
    op_ns = Work(pieces.actions.around(15_000, 0.2))
    upload = pieces.actions.upload(8)
    read: Copy = dataclasses.replace(upload, direction="DtoH")
    if kind == "upload":
        return [op_ns, upload]
    if kind == "tensor":
        return [op_ns, dataclasses.replace(read, size_bytes=pieces.draw.choice((400, 12_000)))]
    return [pieces.launch("nonzero", kernel_ns=2_500), op_ns, read] if kind == "mask" else [op_ns, read]


def _layers(pieces: Pieces) -> list[Action]:
    """A network, as eager code launches it; in some, each layer looks at a value of the device."""
    looks, gathers = pieces.draw.random() < 0.4, pieces.draw.random() < 0.4
    ops = pieces.draw.choice(
        [
            (
                "layer_norm",
                "linear",
                "slice",
                "mul",
                "cat",
                "softmax",
                "matmul",
                "linear",
                "gelu",
                "linear",
                "add",
            ),
            ("conv2d", "batch_norm", "relu", "conv2d", "batch_norm", "add_", "relu"),
            (
                "pow",
                "mean",
                "rsqrt",
                "mul",
                "linear",
                "index",
                "scaled_dot_product_attention",
                "linear",
                "silu",
            ),
            ("linear", "relu"),
        ]
    )
    made: list[Action] = []
    for _ in range(pieces.draw.randint(8, 40)):
        made += [pieces.launch(op, kernel_ns=4_000) for op in ops]
        made += [pieces.launch("index_add_", kernel_ns=3_000)] if gathers and len(ops) > 2 else []
        made += _waiting(pieces, "read") if looks else []
    return made


_TOKEN = (
    *("embedding", "rms_norm", "linear", "index_copy_", "scaled_dot_product_attention", "linear"),
    *("softmax", "multinomial", "cat"),
)


def _decoding(pieces: Pieces) -> list[Action]:
    """One token after the other, each read by the host."""
    made: list[Action] = []
    for _ in range(pieces.draw.randint(8, 30)):
        made += [pieces.launch(op, kernel_ns=4_000) for op in _TOKEN]
        made += _waiting(pieces, "read")
    return made


def _recurrence(pieces: Pieces) -> list[Action]:
    made: list[Action] = []
    for _ in range(pieces.draw.randint(10, 60)):
        made.append(Work(3_000, code="aten::select"))
        made += [
            pieces.launch(op, kernel_ns=3_000) for op in ("addmm", "addmm", "sigmoid", "tanh", "mul", "add")
        ]
    return made


def _micro_batches(pieces: Pieces) -> list[Action]:
    made: list[Action] = []
    for _ in range(pieces.draw.randint(8, 16)):
        made += [pieces.actions.upload(40_000)]
        made += [
            pieces.launch(op, kernel_ns=4_000) for op in ("index", "linear", "relu", "linear", "nll_loss")
        ]
        for op in ("NllLossBackward0", "AddmmBackward0", "ReluBackward0", "AddmmBackward0"):
            code = f"autograd::engine::evaluate_function: {op}"
            made.append(pieces.launch("mm", code=code, kernel_ns=4_000))
        made += _waiting(pieces, "read")
    return made


def _updates(pieces: Pieces) -> list[Action]:
    """An optimizer that goes through its parameters, and looks at the state of each."""
    made: list[Action] = []
    code = "Optimizer.step#AdamW.step"
    for _ in range(pieces.draw.randint(8, 60)):
        made += [pieces.launch(op, code=code, kernel_ns=3_000) for op in ("mul_", "lerp_", "addcdiv_")]
    return made


def _loading(pieces: Pieces) -> list[Action]:
    """An evaluation: a batch, a prediction, and a count that is read."""
    made: list[Action] = []
    code = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
    for _ in range(pieces.draw.randint(8, 20)):
        made += [Work(pieces.actions.around(60_000), code=code), pieces.actions.upload(40_000)]
        made += [pieces.launch(op, kernel_ns=4_000) for op in ("argmax", "eq", "sum")]
        made += _waiting(pieces, "read")
    return made


def _elementwise(pieces: Pieces) -> list[Action]:
    """A long formula, as activations and losses written by hand are."""
    ops = pieces.draw.sample(_OPS, 3)
    return [pieces.launch(op, kernel_ns=3_000) for _ in range(pieces.draw.randint(8, 30)) for op in ops]


REPETITIONS: dict[str, Callable[[Pieces], list[Action]]] = {
    "layers": _layers,
    "decoding": _decoding,
    "recurrence": _recurrence,
    "micro batches": _micro_batches,
    "updates": _updates,
    "loading": _loading,
    "formula": _elementwise,
}


def repeating(kind: str, program: Program, seed: int) -> Program:
    """The program with such a piece in each step, on the thread of the training."""
    pieces = Pieces(random.Random(f"{kind} {seed}"), program.steps[0])
    pieces.host_ns = pieces.draw.uniform(4_000, 15_000)
    steps = []
    for step in program.steps:
        made = REPETITIONS[kind](pieces)
        at = pieces.draw.randint(0, len(step)) if any(one.thread == AUTOGRAD for one in step) else 0
        steps.append((*step[:at], *made, *step[at:]))
    return dataclasses.replace(program, steps=tuple(steps))
