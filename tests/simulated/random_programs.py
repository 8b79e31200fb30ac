"""Trainings by seed: host-bound, device-bound and mixed, with and without all that complicates them.

The ranges are those of traces of real trainings: kernels of a few us to half a ms, 5 to 50 us of
host work for each, launches that take 4 to 8 us and reach an idle device after 6 to 12, waits that
return 3 to 8 us late.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from dataclasses import dataclass

from program import (
    AUTOGRAD,
    MAIN,
    SIDE,
    Action,
    Copy,
    Launch,
    Program,
    RecordEvent,
    StreamWait,
    Synchronise,
    Work,
)

__all__ = ["random_program"]

_SIDE_STREAM = 20
_COPY_STREAM = 24
_BYTES_PER_NS = {"pageable": 6, "pinned": 24}
"""6 and 24 GB/s: what a PCIe 4 host gives."""

_SITE_KINDS = (
    "scalar",
    "scalar",
    "old_scalar",
    "tensor_to_host",
    "small_upload",
    "large_upload",
    "pinned_upload",
    "synchronous_copy",
    "stream",
    "device",
    "event",
)


@dataclass(frozen=True, slots=True)
class _Regime:
    """How busy the host and the device are, in one part of a step."""

    host_ns: float
    kernel_ns: float


def random_program(seed: int) -> Program:
    """The program of this seed, always the same."""
    return _Writer(random.Random(seed)).program()


class _Writer:
    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        bound = draw.choice(("host", "device", "mixed"))
        host = draw.uniform(6_000, 40_000)
        ratio = {"host": (0.1, 0.7), "device": (1.5, 5.0), "mixed": (0.7, 1.5)}[bound]
        self._regimes = [_Regime(host, host * draw.uniform(*ratio) + 2_000) for _ in range(3)]
        if bound == "mixed":
            self._regimes[0] = _Regime(host, host * draw.uniform(0.2, 0.6))
            self._regimes[1] = _Regime(host, host * draw.uniform(1.2, 3.0))
        self._traits = {bound}
        for trait, share in (
            ("streams", 0.3),
            ("autograd", 0.6),
            ("side thread", 0.25),
            ("graphs", 0.15),
            ("two devices", 0.15),
            ("backlog", 0.4),
            ("unrecorded", 0.08),
            ("prefetch", 0.25),
            ("loader", 0.4),
            ("non-blocking upload", 0.15),
        ):
            if draw.random() < share:
                self._traits.add(trait)
        if "streams" in self._traits and draw.random() < 0.25:
            self._traits.add("shared")
        self._launches = draw.randint(15, 90)
        if bound == "device" and draw.random() < 0.15:
            self._launches = draw.randint(250, 400)
            self._traits.add("long queue")

    def program(self) -> Program:
        draw = self._draw
        before = 2 if "backlog" in self._traits else 0
        template = self._template()
        steps = tuple(self._vary(template, number) for number in range(before + draw.randint(3, 8)))
        return Program(
            steps=steps,
            steps_before=before,
            side=self._side() if "side thread" in self._traits else (),
            kernels_share="shared" in self._traits,
            names_awaited=draw.random() < 0.5,
            traits=frozenset(self._traits),
        )

    def _template(self) -> list[tuple[int, Action]]:
        """One step as (every how many steps, action)."""
        draw = self._draw
        forward, backward, update = (self._part(regime) for regime in self._regimes)
        if "autograd" in self._traits:
            backward = [
                Work(draw.randint(10_000, 40_000)),
                *(dataclasses.replace(action, thread=AUTOGRAD) for action in backward),
                Work(draw.randint(10_000, 40_000)),
            ]
        start: list[Action] = []
        if "loader" in self._traits:
            start.append(Work(int(self._launches * draw.uniform(0.2, 1.0) * self._regimes[0].host_ns)))
        if "prefetch" in self._traits:
            start += self._prefetch()
        if "non-blocking upload" in self._traits:
            start.append(self._upload(draw.choice((16_384, 1_000_000, 8_000_000)), synchronised=False))
        step = [(1, action) for action in (*start, *forward, *backward, *update)]
        for site in range(draw.randint(0, 6)):
            every = draw.choice((1, 1, 1, 2, 3))
            at = draw.randint(0, len(step))
            thread = step[at - 1][1].thread if at else MAIN
            step[at:at] = [(every, action) for action in self._site(site, thread)]
        return step

    def _part(self, regime: _Regime) -> list[Action]:
        draw = self._draw
        part: list[Action] = []
        for _ in range(max(self._launches // 3, 1)):
            part.append(Work(self._around(regime.host_ns)))
            part += self._launch(regime)
        return part

    def _launch(self, regime: _Regime) -> list[Action]:
        draw, traits = self._draw, self._traits
        if "unrecorded" in traits and draw.random() < 0.03:
            return [dataclasses.replace(self._kernel(regime), recorded=False)]
        if "graphs" in traits and draw.random() < 0.1:
            runs = tuple(self._around(regime.kernel_ns) for _ in range(draw.randint(3, 12)))
            return [dataclasses.replace(self._kernel(regime), runs_ns=runs)]
        if "streams" in traits and draw.random() < 0.12:
            return self._fork(regime)
        if "two devices" in traits and draw.random() < 0.4:
            return [dataclasses.replace(self._kernel(regime), device=1)]
        return [self._kernel(regime)]

    def _kernel(self, regime: _Regime) -> Launch:
        return Launch(
            call_ns=self._around(4_500, 0.2),
            latency_ns=self._around(7_500, 0.2),
            runs_ns=(self._around(regime.kernel_ns, 0.6),),
            gap_ns=self._around(1_000, 0.3),
        )

    def _fork(self, regime: _Regime) -> list[Action]:
        """Some work on another stream, which waits for the first and is awaited by it."""
        draw = self._draw
        event = draw.randint(1, 1_000_000)
        wait = self._around(1_500, 0.3)
        forked = [
            dataclasses.replace(self._kernel(regime), stream=_SIDE_STREAM)
            for _ in range(draw.randint(1, 3))
        ]
        joined: list[Action] = [
            RecordEvent(event + 1, self._around(1_500), _SIDE_STREAM),
            StreamWait(event + 1, self._around(1_500), wait),
        ]
        meanwhile = [self._kernel(regime) for _ in range(draw.randint(0, 2))]
        return [
            RecordEvent(event, self._around(1_500)),
            StreamWait(event, self._around(1_500), wait, _SIDE_STREAM),
            *forked,
            *meanwhile,
            *(joined if draw.random() < 0.8 else []),
        ]

    def _prefetch(self) -> list[Action]:
        event = self._draw.randint(2_000_000, 3_000_000)
        upload = self._upload(self._draw.randint(100_000, 20_000_000), synchronised=False, memory="pinned")
        return [
            dataclasses.replace(upload, stream=_COPY_STREAM),
            RecordEvent(event, self._around(1_500), _COPY_STREAM),
            StreamWait(event, self._around(1_500), self._around(1_500)),
        ]

    def _site(self, site: int, thread: int) -> list[Action]:
        draw = self._draw
        kind = draw.choice(_SITE_KINDS)
        on = {"site": site, "thread": thread}
        if "two devices" in self._traits and draw.random() < 0.3:
            on["device"] = 1
        if kind in ("stream", "device", "event"):
            synchronise = Synchronise(kind, self._around(2_500), self._around(4_500), **on)
            if kind != "event":
                return [synchronise]
            event = draw.randint(4_000_000, 5_000_000) + site
            device = on.get("device", 0)
            between = [self._kernel(self._regimes[0]) for _ in range(draw.randint(0, 6))]
            between = [dataclasses.replace(launch, thread=thread, device=device) for launch in between]
            return [
                RecordEvent(event, 1_500, thread=thread, device=device),
                *between,
                dataclasses.replace(synchronise, event=event),
            ]
        return [dataclasses.replace(self._site_copy(kind), **on)]

    def _site_copy(self, kind: str) -> Copy:
        draw = self._draw
        if kind == "small_upload":
            return self._upload(draw.choice((8, 128, 4_096, 60_000)))
        if kind == "large_upload":
            return self._upload(draw.randint(100_000, 4_000_000))
        if kind == "pinned_upload":
            return self._upload(draw.randint(1_000, 4_000_000), memory="pinned")
        if kind == "tensor_to_host":
            return self._read("pageable", draw.randint(100, 400_000))
        if kind == "synchronous_copy":
            read = self._read("pageable", draw.randint(4, 40_000))
            return dataclasses.replace(read, api="cudaMemcpy", synchronised=False)
        return self._read("pinned" if kind == "scalar" else "pageable", draw.choice((1, 4, 8)))

    def _read(self, memory: str, size_bytes: int) -> Copy:
        return dataclasses.replace(self._upload(size_bytes, memory=memory), direction="DtoH")

    def _upload(self, size_bytes: int, *, synchronised: bool = True, memory: str = "pageable") -> Copy:
        return Copy(
            direction="HtoD",
            memory=memory,
            size_bytes=size_bytes,
            run_ns=1_500 + size_bytes // _BYTES_PER_NS[memory],
            call_ns=self._around(7_000, 0.2),
            latency_ns=self._around(7_500, 0.2),
            gap_ns=self._around(1_000, 0.3),
            sync_ns=self._around(2_500),
            return_ns=self._around(4_500, 0.3),
            synchronised=synchronised,
        )

    def _side(self) -> tuple[Action, ...]:
        """A thread that copies on a stream of its own and waits for that."""
        draw = self._draw
        copy = self._upload(draw.randint(100_000, 10_000_000), memory=draw.choice(("pinned", "pageable")))
        direction = draw.choice(("HtoD", "DtoH"))
        copy = dataclasses.replace(copy, direction=direction, stream=_COPY_STREAM + 1, thread=SIDE, site=99)
        pause = draw.uniform(500_000, 5_000_000)
        actions: list[Action] = []
        for _ in range(draw.randint(3, 12)):
            actions += [Work(self._around(pause), SIDE), copy]
        return tuple(actions)

    def _vary(self, template: Sequence[tuple[int, Action]], number: int) -> tuple[Action, ...]:
        """The step of this number: as the template, each duration a little off."""
        return tuple(self._off(action) for every, action in template if number % every == 0)

    def _off(self, action: Action) -> Action:
        if isinstance(action, Work):
            return Work(self._around(action.length_ns, 0.1), action.thread)
        if isinstance(action, Launch):
            return dataclasses.replace(
                action,
                call_ns=self._around(action.call_ns, 0.1),
                latency_ns=self._around(action.latency_ns, 0.1),
                runs_ns=tuple(self._around(length, 0.03) for length in action.runs_ns),
                gap_ns=self._around(action.gap_ns, 0.1),
            )
        if isinstance(action, Copy):
            return dataclasses.replace(
                action, call_ns=self._around(action.call_ns, 0.1), return_ns=self._around(action.return_ns, 0.2)
            )
        if isinstance(action, Synchronise):
            return dataclasses.replace(action, return_ns=self._around(action.return_ns, 0.2))
        return action

    def _around(self, length_ns: float, spread: float = 0.3) -> int:
        return max(int(length_ns * self._draw.lognormvariate(0, spread)), 1)
