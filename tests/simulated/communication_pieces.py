"""Pieces of code in which ranks exchange something: what DDP does, and what a loop over parameters does.

A collective takes some tens of microseconds for the ranks to come together, some time until the last of
them is there, and its bytes. That of a smaller number of messages is drawn anew where the sum decides.
"""

from __future__ import annotations

import dataclasses

from pieces import Pair, Pieces
from program import Action, Launch, RecordEvent, StreamWait, Work

STREAM = 42
_REDUCER = "torch.distributed.ddp.reducer::"
_FORWARD = "DistributedDataParallel.forward"
_NAME = "ncclDevKernel_{}_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def _collective(
    pieces: Pieces, length_ns: float, *, kind: str = "AllReduce_Sum", code: str = ""
) -> list[Action]:
    """On a stream of its own, after what was computed so far."""
    event, around = _event(pieces), pieces.actions.around
    launch = pieces.launch("all_reduce", name=_NAME.format(kind), code=code, kernel_ns=length_ns)
    return [
        RecordEvent(event, 1_500),
        StreamWait(event, 1_500, around(1_500), STREAM),
        dataclasses.replace(launch, op="", stream=STREAM, talks=True),
    ]


def _await(pieces: Pieces) -> list[Action]:
    """What is computed next needs the result."""
    event = _event(pieces)
    return [RecordEvent(event, 1_500, STREAM), StreamWait(event, 1_500, pieces.actions.around(1_500))]


def _event(pieces: Pieces) -> int:
    return pieces.draw.randint(20_000_000, 2_000_000_000)


def copying_back(pieces: Pieces) -> Pair:
    """From the buckets to the gradients, parameter by parameter, once a bucket has been exchanged."""
    wait = [*_collective(pieces, pieces.kernel_ns * 3), *_await(pieces)]
    copies = [
        pieces.launch("copy_", code=f"{_REDUCER}copy_bucket_to_grad", kernel_ns=pieces.kernel_ns / 4)
        for _ in range(pieces.count)
    ]
    return [*wait, *copies], [*wait]


def broadcasting(pieces: Pieces) -> Pair:
    """Of the model's buffers, in front of each forward."""
    sent: list[Action] = []
    for _ in range(pieces.draw.randint(1, 3)):
        sent += _collective(pieces, pieces.actions.around(40_000, 0.8), kind="Broadcast", code=_FORWARD)
    forward = [pieces.launch("linear", code=_FORWARD) for _ in range(pieces.count)]
    return [*sent, *_await(pieces), *forward], [*forward]


def searching(pieces: Pieces) -> Pair:
    """For parameters without a gradient, through the graph of the backward pass."""
    length = pieces.actions.around(10 ** pieces.draw.uniform(4.5, 6.5), 0.2)
    return [Work(length, code=f"{_REDUCER}search_unused_parameters")], []


def many_messages(pieces: Pieces) -> Pair:
    """Gradient by gradient, and all as one."""
    start_ns = pieces.draw.uniform(8_000, 30_000)
    count = pieces.draw.randint(21, 60)
    bytes_ns = [pieces.actions.around(pieces.draw.uniform(500, 10_000), 0.5) for _ in range(count)]
    one_by_one: list[Action] = []
    for length in bytes_ns:
        one_by_one += [*_collective(pieces, start_ns + length), *_await(pieces)]
    flatten, unflatten = (pieces.launch(op, kernel_ns=20_000) for op in ("cat", "_foreach_copy_"))
    together = _collective(pieces, start_ns + sum(bytes_ns) * (1 - 0.5 * pieces.gain))
    return one_by_one, [flatten, *together, *_await(pieces), unflatten]


def accumulating(pieces: Pieces) -> Pair:
    """Passes that each exchange their gradients, and an update; the last exchange waits for the last rank."""
    passes = pieces.draw.randint(2, 4)
    buckets = pieces.draw.randint(1, 3)
    length_ns = pieces.kernel_ns * pieces.draw.uniform(0.5, 4) + 20_000
    late_ns = pieces.draw.uniform(0, 0.5) * length_ns
    before: list[Action] = []
    after: list[Action] = []
    for number in range(passes):
        forward = [pieces.launch("linear", code=_FORWARD) for _ in range(max(pieces.count // passes, 1))]
        backward = [pieces.launch("mm") for _ in forward]
        exchange: list[Action] = []
        for _ in range(buckets):
            exchange += _collective(pieces, length_ns + late_ns)
        half, wait = len(backward) // 2, _await(pieces)
        before += [*forward, *backward[:half], *exchange, *backward[half:], *wait]
        if number == passes - 1:
            left = _later(exchange, late_ns * (passes - 1) * pieces.gain)
            after += [*forward, *backward[:half], *left, *backward[half:], *wait]
        else:
            after += [*forward, *backward]
    update = [pieces.launch("_fused_adamw_", code="Optimizer.step#AdamW.step")]
    return [*before, *update], [*after, *update]


def _later(exchange: list[Action], late_ns: float) -> list[Action]:
    """What the exchanges before it no longer wait for the late rank, the first one that is left does."""
    first = next(one for one in exchange if isinstance(one, Launch))
    longer = dataclasses.replace(first, runs_ns=(int(first.runs_ns[0] + late_ns),))
    return [longer if one is first else one for one in exchange]
