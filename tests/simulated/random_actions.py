"""The single actions of a random training, with durations from the ranges of real traces.

Launches take 4 to 8 us and reach an idle device after 6 to 12, waits return 3 to 8 us late, data
moves at 6 GB/s from pageable and 24 GB/s from pinned memory (a host with PCIe 4).
"""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass
from typing import Literal

from program import Action, Copy, Launch, RecordEvent, StreamWait, Synchronize, Work

COPY_STREAM = 24

Memory = Literal["pageable", "pinned"]

_FORK_STREAM = 20
_BYTES_PER_NS = {"pageable": 6, "pinned": 24}

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
class Regime:
    """How long the host and the device are busy for one kernel, in one part of a step."""

    host_ns: float
    kernel_ns: float


class Actions:
    """Draws actions; `traits` says what kinds there may be."""

    def __init__(self, draw: random.Random, traits: frozenset[str]) -> None:
        self._draw = draw
        self._traits = traits

    def launch(self, regime: Regime) -> list[Action]:
        """A kernel, or what the traits give in its place."""
        draw, traits = self._draw, self._traits
        if "unrecorded" in traits and draw.random() < 0.03:
            return [dataclasses.replace(self.kernel(regime), recorded=False)]
        if "graphs" in traits and draw.random() < 0.1:
            runs = tuple(self.around(regime.kernel_ns) for _ in range(draw.randint(3, 12)))
            return [dataclasses.replace(self.kernel(regime), runs_ns=runs)]
        if "streams" in traits and draw.random() < 0.12:
            return self._fork(regime)
        if "two devices" in traits and draw.random() < 0.4:
            return [dataclasses.replace(self.kernel(regime), device=1)]
        return [self.kernel(regime)]

    def kernel(self, regime: Regime) -> Launch:
        """One kernel on the usual stream."""
        return Launch(
            call_ns=self.around(4_500, 0.2),
            latency_ns=self.around(7_500, 0.2),
            runs_ns=(self.around(regime.kernel_ns, 0.6),),
            gap_ns=self.around(1_000, 0.3),
        )

    def _fork(self, regime: Regime) -> list[Action]:
        """Some work on another stream, which waits for the first and is awaited by it."""
        draw = self._draw
        event = draw.randint(1, 1_000_000)
        wait = self.around(1_500, 0.3)
        forked = [
            dataclasses.replace(self.kernel(regime), stream=_FORK_STREAM) for _ in range(draw.randint(1, 3))
        ]
        joined: list[Action] = [
            RecordEvent(event + 1, self.around(1_500), _FORK_STREAM),
            StreamWait(event + 1, self.around(1_500), wait),
        ]
        meanwhile = [self.kernel(regime) for _ in range(draw.randint(0, 2))]
        return [
            RecordEvent(event, self.around(1_500)),
            StreamWait(event, self.around(1_500), wait, _FORK_STREAM),
            *forked,
            *meanwhile,
            *(joined if draw.random() < 0.8 else []),
        ]

    def prefetch(self) -> list[Action]:
        """An upload on a stream of its own, which the stream of the kernels waits for."""
        event = self._draw.randint(2_000_000, 3_000_000)
        upload = self.upload(self._draw.randint(100_000, 20_000_000), synchronized=False, memory="pinned")
        return [
            dataclasses.replace(upload, stream=COPY_STREAM),
            RecordEvent(event, self.around(1_500), COPY_STREAM),
            StreamWait(event, self.around(1_500), self.around(1_500)),
        ]

    def site(self, site: int, thread: int, regime: Regime) -> list[Action]:
        """Something that makes the host wait, of any kind."""
        draw = self._draw
        kind = draw.choice(_SITE_KINDS)
        device = 1 if "two devices" in self._traits and draw.random() < 0.3 else 0
        if kind == "stream" or kind == "device":
            wait = Synchronize(kind, self.around(2_500), self.around(4_500), site)
            return [dataclasses.replace(wait, device=device, thread=thread)]
        if kind == "event":
            return self._event_site(site, thread, device, regime)
        return [dataclasses.replace(self._site_copy(kind), site=site, thread=thread, device=device)]

    def _event_site(self, site: int, thread: int, device: int, regime: Regime) -> list[Action]:
        """A wait for an event, with launches since it was recorded."""
        draw = self._draw
        synchronize = Synchronize("event", self.around(2_500), self.around(4_500), site)
        event = draw.randint(4_000_000, 5_000_000) + site
        actions = [
            RecordEvent(event, 1_500),
            *(self.kernel(regime) for _ in range(draw.randint(0, 6))),
            dataclasses.replace(synchronize, event=event),
        ]
        return [dataclasses.replace(action, thread=thread, device=device) for action in actions]

    def _site_copy(self, kind: str) -> Copy:
        draw = self._draw
        if kind == "small_upload":
            return self.upload(draw.choice((8, 128, 4_096, 60_000)))
        if kind == "large_upload":
            return self.upload(draw.randint(100_000, 4_000_000))
        if kind == "pinned_upload":
            return self.upload(draw.randint(1_000, 4_000_000), memory="pinned")
        if kind == "tensor_to_host":
            return self._read("pageable", draw.randint(100, 400_000))
        if kind == "synchronous_copy":
            read = self._read("pageable", draw.randint(4, 40_000))
            return dataclasses.replace(read, api="cudaMemcpy", synchronized=False)
        return self._read("pinned" if kind == "scalar" else "pageable", draw.choice((1, 4, 8)))

    def _read(self, memory: Memory, size_bytes: int) -> Copy:
        return dataclasses.replace(self.upload(size_bytes, memory=memory), direction="DtoH")

    def upload(self, size_bytes: int, *, synchronized: bool = True, memory: Memory = "pageable") -> Copy:
        """A copy to the device."""
        return Copy(
            direction="HtoD",
            memory=memory,
            size_bytes=size_bytes,
            run_ns=1_500 + size_bytes // _BYTES_PER_NS[memory],
            call_ns=self.around(7_000, 0.2),
            latency_ns=self.around(7_500, 0.2),
            gap_ns=self.around(1_000, 0.3),
            sync_ns=self.around(2_500),
            return_ns=self.around(4_500, 0.3),
            synchronized=synchronized,
        )

    def vary(self, action: Action) -> Action:
        """The same action, each of its durations a little off."""
        if isinstance(action, Work):
            return Work(self.around(action.length_ns, 0.1), action.thread)
        if isinstance(action, Launch):
            return dataclasses.replace(
                action,
                call_ns=self.around(action.call_ns, 0.1),
                latency_ns=self.around(action.latency_ns, 0.1),
                runs_ns=tuple(self.around(length, 0.03) for length in action.runs_ns),
                gap_ns=self.around(action.gap_ns, 0.1),
            )
        if isinstance(action, Copy):
            return dataclasses.replace(
                action,
                call_ns=self.around(action.call_ns, 0.1),
                return_ns=self.around(action.return_ns, 0.2),
            )
        if isinstance(action, Synchronize):
            return dataclasses.replace(action, return_ns=self.around(action.return_ns, 0.2))
        return action

    def around(self, length_ns: float, spread: float = 0.3) -> int:
        """A duration whose median is `length_ns`."""
        return max(int(length_ns * self._draw.lognormvariate(0, spread)), 1)
