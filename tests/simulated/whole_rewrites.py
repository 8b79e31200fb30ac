"""Trainings that something outside a single piece of code slows down, and the same without it.

Clocks that fall, ranks that share a link or multiprocessors with what runs beside them, and trainings on a
CPU, which launch nothing.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import TypeAlias

from pieces import LOADER
from program import AUTOGRAD, MAIN, Action, Copy, Launch, Program, RecordEvent, StreamWait, Work
from random_actions import COPY_STREAM, Actions

Pair: TypeAlias = tuple[Program, Program]

_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_COMMUNICATION_STREAM = 43


def falling_clocks(draw: random.Random, program: Program) -> Pair:
    """All kernels but those of communication get slower, at once or from step to step, and would not."""
    program = _with_layers(draw, program)
    slower, begin = draw.uniform(0.08, 0.6), draw.uniform(0.2, 0.6)
    is_sudden = draw.random() < 0.5
    recorded = len(program.steps) - program.steps_before
    steps = []
    for number, step in enumerate(program.steps):
        at = (number - program.steps_before) / recorded
        reached = float(at >= begin) if is_sudden else max(at - begin, 0) / (1 - begin)
        steps.append(tuple(_longer(action, 1 + slower * reached) for action in step))
    return dataclasses.replace(program, steps=tuple(steps)), program


def fewer_blocks(draw: random.Random, program: Program) -> Pair:
    """Communication leaves kernels the multiprocessors that it took, or some of them."""
    program = _with_communication(draw, _with_layers(draw, program))
    slower = draw.uniform(0.1, 0.8)
    left = slower * 0.5 * draw.random()
    slow, better = (dataclasses.replace(program, slower_kernels=each) for each in (slower, left))
    return slow, better


def links_apart(draw: random.Random, program: Program) -> Pair:
    """Copies no longer share a link with communication."""
    program = _with_communication(draw, program)
    actions = Actions(draw, frozenset())
    upload = actions.upload(draw.randint(500_000, 10_000_000), synchronized=False, memory="pinned")
    count = draw.randint(2, 5)
    steps = []
    for number, step in enumerate(program.steps):
        new = [*step]
        for each in range(count):
            at = draw.randint(0, len(new))
            new[at:at] = _awaited_upload(upload, 9_000_000 + 100 * number + each, actions)
        steps.append(tuple(new))
    program = dataclasses.replace(program, steps=tuple(steps))
    slower = draw.uniform(0.2, 2)
    slow = dataclasses.replace(program, slower_copies=slower)
    return slow, dataclasses.replace(program, slower_copies=slower * 0.5 * draw.random())


def _awaited_upload(upload: Copy, event: int, actions: Actions) -> list[Action]:
    return [
        dataclasses.replace(actions.vary(upload), stream=COPY_STREAM),
        RecordEvent(event, 1_500, COPY_STREAM),
        StreamWait(event, 1_500, 1_500),
    ]


def shorter_python(draw: random.Random, _: Program) -> Pair:
    """On a CPU: what runs between the operators is made shorter."""
    training = _OnHost(draw)
    left = 0.6 * draw.random()
    return training.program(), training.program(python=left)


def workers_on_host(draw: random.Random, _: Program) -> Pair:
    """On a CPU: batches are made by workers, which take cores from the operators."""
    training = _OnHost(draw)
    crowded = 1 + training.loading_ns / training.computing_ns / draw.randint(4, 32)
    return training.program(), training.program(loads=False, operators=crowded)


class _OnHost:
    """Draws a training without a GPU; all its forms have the same durations."""

    def __init__(self, draw: random.Random) -> None:
        around = Actions(draw, frozenset()).around
        operators = draw.randint(20, 120)
        self._steps_before = draw.randint(0, 1)
        self._cold = draw.random() < 0.3
        operator_ns, python_ns = 10 ** draw.uniform(4, 6), 10 ** draw.uniform(3.5, 5)
        self._slow_at, slow_ns = draw.randrange(operators // 2), 10 ** draw.uniform(5, 7)
        steps = draw.randint(3, 8)
        template = [around(operator_ns, 0.8) for _ in range(operators)]
        self._operators = [[around(each, 0.1) for each in template] for _ in range(steps)]
        self._python = [[around(python_ns, 0.5) for _ in template] for _ in range(steps)]
        for lengths in self._python:
            lengths[self._slow_at] += around(slow_ns, 0.2)
        self.computing_ns = sum(template)
        self.loading_ns = self.computing_ns * 10 ** draw.uniform(-1.7, 0.3)
        self._loading = [around(self.loading_ns, 0.2) for _ in range(steps)]
        self._ready = [around(draw.uniform(50_000, 400_000), 0.2) for _ in range(steps)]

    def program(self, *, python: float = 1, operators: float = 1, loads: bool = True) -> Program:
        """`python` and `operators` are how long these take in the recorded steps, as a part of before."""
        steps = []
        for number in range(len(self._operators)):
            is_recorded = number >= self._steps_before
            rates = (python, operators) if is_recorded else (1.0, 1.0)
            steps.append(self._step(number, *rates, loads=loads or not is_recorded))
        return Program(tuple(steps), self._steps_before)

    def _step(self, number: int, python: float, operators: float, *, loads: bool) -> tuple[Action, ...]:
        ready = min(self._ready[number], self._loading[number])
        step: list[Action] = [Work(self._loading[number] if loads else ready, code=LOADER)]
        lengths = self._operators[number]
        for place, length in enumerate(lengths):
            thread = AUTOGRAD if place > len(lengths) // 2 else MAIN
            if thread == MAIN:
                step.append(Work(int(self._python[number][place] * python)))
            cold = 5 if self._cold and number == self._steps_before else 1
            step.append(Work(int(length * operators * cold), thread, code="aten::mm"))
        return tuple(step)


def _with_layers(draw: random.Random, program: Program) -> Program:
    """A training is made of some layers, again and again: its kernels are those of a few operators."""
    lengths = [each.runs_ns[0] for step in program.steps for each in step if _computes(each)]
    layers = [draw.choice(lengths) for _ in range(draw.randint(4, 12))] if lengths else []
    around = Actions(draw, frozenset()).around
    steps = []
    for step in program.steps:
        chosen = random.Random(len(layers))
        new: list[Action] = []
        for action in step:
            if isinstance(action, Launch) and _computes(action):
                layer = chosen.randrange(len(layers))
                action = dataclasses.replace(
                    action,
                    runs_ns=(around(layers[layer], 0.03),),
                    op="aten::mm",
                    name=f"gemm_{layer}",
                    shapes=f"[[{layer}, 8]]",
                )
            new.append(action)
        steps.append(tuple(new))
    return dataclasses.replace(program, steps=tuple(steps))


def _computes(action: Action) -> bool:
    return isinstance(action, Launch) and len(action.runs_ns) == 1 and "AllReduce" not in action.name


def _longer(action: Action, factor: float) -> Action:
    if not isinstance(action, Launch) or "AllReduce" in action.name:
        return action
    return dataclasses.replace(action, runs_ns=tuple(int(length * factor) for length in action.runs_ns))


def _with_communication(draw: random.Random, program: Program) -> Program:
    """All-reduces beside the computing, which the next step awaits."""
    actions = Actions(draw, frozenset())
    count = draw.randint(1, 4)
    computing_ns = _computing_ns(program.steps[0])
    length = computing_ns * draw.uniform(0.2, 0.8) / count
    steps = []
    for number, step in enumerate(program.steps):
        new = [*step]
        for each in range(count):
            event = 10_000_000 + 100 * number + 2 * each
            at = len(new) * each // count
            new[at:at] = _all_reduce(actions, event, length)
        last = 10_000_000 + 100 * number + 2 * count
        joined = [RecordEvent(last, 1_500, _COMMUNICATION_STREAM), StreamWait(last, 1_500, 1_500)]
        steps.append((*new, *joined))
    return dataclasses.replace(program, steps=tuple(steps), kernels_share=True)


def _computing_ns(step: Sequence[Action]) -> int:
    return sum(sum(action.runs_ns) for action in step if isinstance(action, Launch))


def _all_reduce(actions: Actions, event: int, length_ns: float) -> list[Action]:
    reduce = Launch(
        call_ns=actions.around(6_000, 0.2),
        latency_ns=actions.around(8_000, 0.2),
        runs_ns=(actions.around(length_ns, 0.2),),
        gap_ns=actions.around(1_000, 0.3),
        stream=_COMMUNICATION_STREAM,
        name=_ALL_REDUCE,
        talks=True,
    )
    begin = [RecordEvent(event, 1_500), StreamWait(event, 1_500, 1_500, _COMMUNICATION_STREAM)]
    return [*begin, reduce]


WHOLE_REWRITES: dict[str, tuple[str, Callable[[random.Random, Program], Pair]]] = {
    "steady clocks": ("SHR02", falling_clocks),
    "links apart": ("DST07", links_apart),
    "fewer blocks": ("DST09", fewer_blocks),
    "shorter Python": ("LCH06", shorter_python),
    "workers on a CPU": ("DAT05", workers_on_host),
}
"""By what the fix is: the check that names it, and what draws both programs."""
