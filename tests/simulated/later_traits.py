"""What complicates trainings of several devices and trainings that prefetch by hand.

It is drawn and written apart from the rest, so that a seed without it gives the program that it has
always given.
"""

from __future__ import annotations

import dataclasses
import random

from program import (
    FEEDER,
    MAIN,
    STREAM,
    Action,
    Launch,
    Program,
    Put,
    RecordEvent,
    StreamWait,
    Synchronize,
    Take,
    Work,
)
from random_actions import COPY_STREAM, Actions, Regime

LATER_TRAITS = {"collectives": 0.2, "late prefetch": 0.15, "prefetch thread": 0.15}
"""In which share of the programs each is found."""

_ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_COMMUNICATION_STREAM = 40
_FEEDING_STREAM = 41
_BYTES_PER_NS = 24


def with_later_traits(program: Program, seed: int, regime: Regime, launches: int) -> Program:
    """The program with those of the later traits that the seed draws."""
    draw = random.Random(f"later {seed}")
    traits = frozenset(trait for trait, share in LATER_TRAITS.items() if draw.random() < share)
    writer = _Writer(draw, regime, launches, max(program.sites, default=-1) + 1)
    if "collectives" in traits:
        program = writer.collectives(program)
    if "late prefetch" in traits:
        program = writer.late_prefetch(program)
    if "prefetch thread" in traits:
        program = writer.prefetch_thread(program)
    return dataclasses.replace(program, traits=program.traits | traits)


class _Writer:
    def __init__(self, draw: random.Random, regime: Regime, launches: int, site: int) -> None:
        self._draw = draw
        self._actions = Actions(draw, frozenset())
        self._regime = regime
        self._launches = launches
        self._site = site

    def collectives(self, program: Program) -> Program:
        """All-reduces on a stream of their own, which the update awaits, or the host, or nobody."""
        draw = self._draw
        count, awaited = draw.randint(1, 3), draw.choice(("stream", "host", "host", "nobody"))
        length = self._computing_ns * draw.uniform(0.1, 1.0) / count
        wait = self._host_wait() if awaited == "host" else None
        steps = []
        for number, step in enumerate(program.steps):
            actions = [*step]
            for each in range(count):
                event = 7_000_000 + 10 * number + 2 * each
                at = len(actions) * (each + 1) // (count + 1)
                actions[at:at] = self._all_reduce(event, length, awaited)
            steps.append((*actions, wait) if wait is not None else tuple(actions))
        self._site += wait is not None
        return dataclasses.replace(program, steps=tuple(steps), kernels_share=True)

    def _all_reduce(self, event: int, length_ns: float, awaited: str) -> list[Action]:
        around = self._actions.around
        reduce = Launch(
            call_ns=around(6_000, 0.2),
            latency_ns=around(8_000, 0.2),
            runs_ns=(around(length_ns, 0.2),),
            gap_ns=around(1_000, 0.3),
            stream=_COMMUNICATION_STREAM,
            name=_ALL_REDUCE,
            talks=True,
        )
        actions: list[Action] = [
            RecordEvent(event, 1_500),
            StreamWait(event, 1_500, around(1_500), _COMMUNICATION_STREAM),
            reduce,
        ]
        if awaited == "stream":
            joined = RecordEvent(event + 1, 1_500, _COMMUNICATION_STREAM)
            actions += [joined, self._actions.kernel(self._regime), StreamWait(event + 1, 1_500, 1_500)]
        return actions

    def _host_wait(self) -> Synchronize:
        """`torch.cuda.synchronize()`, or the wait of a collective's handle, at the end of each step."""
        kind, stream = self._draw.choice((("device", STREAM), ("stream", _COMMUNICATION_STREAM)))
        around = self._actions.around
        return Synchronize(kind, around(2_500), around(4_500), self._site, stream=stream)

    def late_prefetch(self, program: Program) -> Program:
        """A batch is uploaded beside the training, and so late that the step waits for it."""
        run_ns = self._computing_ns * self._draw.uniform(0.3, 1.2)
        steps = []
        for number, step in enumerate(program.steps):
            size = self._actions.around(run_ns, 0.05) * _BYTES_PER_NS
            upload = self._actions.upload(size, synchronized=False, memory="pinned")
            event = 8_000_000 + number
            late = (
                dataclasses.replace(upload, stream=COPY_STREAM),
                RecordEvent(event, 1_500, COPY_STREAM),
                StreamWait(event, 1_500, self._actions.around(1_500)),
            )
            steps.append((*late, *step))
        return dataclasses.replace(program, steps=tuple(steps))

    def prefetch_thread(self, program: Program) -> Program:
        """A thread makes the batches and uploads them, and the training takes them from a queue."""
        draw = self._draw
        load_ns = self._launches * self._regime.host_ns * draw.uniform(0.3, 1.3)
        size, memory = draw.randint(100_000, 20_000_000), draw.choice(("pinned", "pageable"))
        holds = draw.randint(1, 3)
        feeder: list[Action] = []
        for _ in program.steps:
            upload = self._actions.upload(size, memory=memory)
            upload = dataclasses.replace(upload, stream=_FEEDING_STREAM, thread=FEEDER, site=self._site)
            feeder += [Work(self._actions.around(load_ns, 0.1), FEEDER), upload, Put(holds)]
        self._site += 1
        steps = tuple((Take(MAIN), *step) for step in program.steps)
        return dataclasses.replace(program, steps=steps, feeder=tuple(feeder))

    @property
    def _computing_ns(self) -> float:
        """About what a step computes."""
        return self._launches * self._regime.kernel_ns
