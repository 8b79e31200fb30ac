"""Devices as CUDA's programming guide describes them: streams, events, engines, a bounded queue.

Work of one stream runs in the order in which it was given. Streams run beside each other, but
a kernel usually fills its device, so that kernels take turns, first ready, first run; copies have
an engine for each direction. An event stands for all work that its stream had been given when
it was recorded. A launch finds a queue of `QUEUE_LIMIT` entries; when it is full it blocks until
the oldest one has started.

Nothing here is taken from tbprof's replay: this is what the replay is judged by.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

QUEUE_LIMIT = 1024


class Clock:
    """The simulation's time: what is planned happens in the order of its instants."""

    def __init__(self) -> None:
        self.now_ns = 0
        self._planned: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()

    def at(self, instant_ns: int, do: Callable[[], None]) -> None:
        heapq.heappush(self._planned, (max(instant_ns, self.now_ns), next(self._order), do))

    def run(self) -> None:
        while self._planned:
            self.now_ns, _, do = heapq.heappop(self._planned)
            do()


class Completion:
    """Something that comes once, and those that wait for it."""

    __slots__ = ("_waiting", "is_done")

    def __init__(self) -> None:
        self.is_done = False
        self._waiting: list[Callable[[], None]] = []

    def then(self, do: Callable[[], None]) -> None:
        if self.is_done:
            do()
        else:
            self._waiting.append(do)

    def come(self) -> None:
        self.is_done = True
        for do in self._waiting:
            do()


@dataclass(slots=True, eq=False)
class Task:
    """Something that a stream was given: a kernel, a copy, or (without an engine) a wait."""

    run_ns: int
    gap_ns: int
    arrival_ns: int
    engine: Engine | None
    awaited: Completion | None = None
    started: Completion = field(default_factory=Completion)
    ended: Completion = field(default_factory=Completion)
    talks: bool = False
    """Whether it sends to other ranks: the rest is slower meanwhile."""
    start_ns: int = 0
    end_ns: int = 0


@dataclass(slots=True)
class _Progress:
    """Of a task that runs: what was left of it at an instant, at its full pace."""

    left_ns: float
    since_ns: int
    plan: int = 0
    """Number of the last end that was planned; those before no longer hold."""


class Engine:
    """Runs tasks one after the other, or all at once if `shared`; what talks has its own pace."""

    def __init__(self, clock: Clock, *, shared: bool) -> None:
        self._clock = clock
        self._shared = shared
        self._running: dict[Task, _Progress] = {}
        self._ready: deque[Task] = deque()
        self._longer = 1.0
        self.talking: Callable[[int], None] = lambda _: None
        """Told of one task more, or less, that talks."""

    def take(self, task: Task) -> None:
        if self._running and not self._shared:
            self._ready.append(task)
        else:
            self._start(task)

    def set_pace(self, longer: float) -> None:
        """From now on tasks take so many times as long."""
        for task, progress in self._running.items():
            if not task.talks:
                progress.left_ns -= (self._clock.now_ns - progress.since_ns) / self._longer
                progress.since_ns = self._clock.now_ns
        self._longer = longer
        for task, progress in self._running.items():
            if not task.talks:
                self._plan(task, progress)

    def _start(self, task: Task) -> None:
        task.start_ns = self._clock.now_ns
        progress = self._running[task] = _Progress(task.run_ns, task.start_ns)
        task.started.come()
        self._plan(task, progress)
        if task.talks:
            self.talking(1)

    def _plan(self, task: Task, progress: _Progress) -> None:
        progress.plan += 1
        plan = progress.plan
        longer = 1.0 if task.talks else self._longer
        end_ns = self._clock.now_ns + round(progress.left_ns * longer)
        self._clock.at(end_ns, lambda: self._end(task, progress, plan))

    def _end(self, task: Task, progress: _Progress, plan: int) -> None:
        if plan != progress.plan:
            return
        task.end_ns = self._clock.now_ns
        del self._running[task]
        if task.talks:
            self.talking(-1)
        task.ended.come()
        if self._ready:
            self._start(self._ready.popleft())


class Stream:
    """A queue of tasks; the next one begins when the one before it has ended."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queue: deque[Task] = deque()
        self._free_ns = 0
        self.last = Completion()
        """Comes when all that the stream was given has ended."""
        self.last.come()

    def give(self, task: Task) -> None:
        self._queue.append(task)
        self.last = task.ended
        task.ended.then(self._go_on)
        if len(self._queue) == 1:
            self._prepare(task)

    def _prepare(self, task: Task) -> None:
        self._clock.at(max(task.arrival_ns, self._free_ns + task.gap_ns), lambda: self._run(task))

    def _run(self, task: Task) -> None:
        if task.engine is not None:
            task.engine.take(task)
        elif task.awaited is not None:
            task.awaited.then(lambda: self._clock.at(self._clock.now_ns + task.run_ns, task.ended.come))

    def _go_on(self) -> None:
        self._queue.popleft()
        self._free_ns = self._clock.now_ns
        if self._queue:
            self._prepare(self._queue[0])


class Device:
    """Streams by number, an engine for kernels and two for copies."""

    def __init__(
        self, clock: Clock, *, kernels_share: bool, slower_kernels: float = 0, slower_copies: float = 0
    ) -> None:
        self._clock = clock
        self._slower = {"kernel": slower_kernels, "HtoD": slower_copies, "DtoH": slower_copies}
        self._talking = 0
        self._streams: dict[int, Stream] = {}
        self.engines = {
            "kernel": Engine(clock, shared=kernels_share),
            "HtoD": Engine(clock, shared=False),
            "DtoH": Engine(clock, shared=False),
        }
        self.engines["kernel"].talking = self._talk
        self._entries: deque[Completion] = deque(maxlen=QUEUE_LIMIT)

    def _talk(self, more: int) -> None:
        before, self._talking = self._talking, self._talking + more
        if bool(before) != bool(self._talking):
            for name, engine in self.engines.items():
                engine.set_pace(1 + self._slower[name] * bool(self._talking))

    def stream(self, number: int) -> Stream:
        return self._streams.setdefault(number, Stream(self._clock))

    @property
    def streams(self) -> tuple[Stream, ...]:
        return tuple(self._streams.values())

    @property
    def room(self) -> Completion | None:
        """What must come before the queue has room for one more; nothing if it has."""
        return self._entries[0] if len(self._entries) == QUEUE_LIMIT else None

    def enter(self, started: Completion) -> None:
        """One more entry of the queue, which leaves it when `started` comes."""
        self._entries.append(started)
