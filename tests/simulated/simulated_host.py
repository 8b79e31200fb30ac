"""Runs a program: host threads come to their actions one by one, and wait where CUDA says so.

What blocks the host: a synchronize, until all that it names has ended; a read into pageable
memory and a synchronous copy, until the copy has ended; a free, until the device has done all; an
upload of more than 64 KB from pageable memory, which first waits for its stream and then stages the data; a
launch that finds the queue full. (CUDA Runtime API, "API synchronization behavior".) A wait of a site that is
left out costs what its call costs when there is nothing to wait for: the value is read later.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from program import (
    Action,
    Allocate,
    Copy,
    Launch,
    Program,
    Put,
    RecordEvent,
    StreamWait,
    Synchronize,
    Take,
    Work,
)
from simulated_gpu import Clock, Completion, Device, Task
from simulated_run import Call, Done, Run

SMALL_UPLOAD_BYTES = 64 * 1024
"""Up to this size data from pageable memory travels with the command itself."""

_OP_NS = 1_500
"""Of an op, before its first call, between its calls and after the last."""


def run(program: Program, without: Container[int] = ()) -> Run:
    """Run it; sites in `without` do not wait inside the window."""
    return _Machine(program, without).run()


class _Machine:
    def __init__(self, program: Program, without: Container[int]) -> None:
        self._program = program
        self._without = without
        self._clock = Clock()
        self._events: dict[int, Completion] = {}
        self._recording = False
        self._result = Run(steps_before=program.steps_before)
        self._devices: dict[int, Device] = {}
        self._put: list[Completion] = []
        self._taken: list[Completion] = []
        self._batches = [0, 0]
        """How many have been put and taken."""

    def run(self) -> Run:
        self._go(self._training())
        self._go(self._thread(self._program.side, self._result.side))
        self._go(self._thread(self._program.feeder, self._result.side))
        self._clock.run()
        return self._result

    def _go(self, thread: Iterator[int | Completion]) -> None:
        """Let a thread do what it does until it next waits."""
        for awaited in thread:
            if isinstance(awaited, Completion):
                if not awaited.is_done:
                    awaited.then(lambda: self._go(thread))
                    return
            elif awaited > 0:
                self._clock.at(self._clock.now_ns + awaited, lambda: self._go(thread))
                return

    def _training(self) -> Iterator[int | Completion]:
        for number, actions in enumerate(self._program.steps):
            self._recording = number >= self._program.steps_before
            start = self._clock.now_ns
            yield from self._thread(actions, self._result.training)
            self._result.steps.append((start, self._clock.now_ns))
        start = self._clock.now_ns
        for device in self._devices.values():
            yield from _device_ends(device)
        yield 5_000
        self._result.own_sync = (start, self._clock.now_ns)

    def _thread(self, actions: Sequence[Action], done: list[Done]) -> Iterator[int | Completion]:
        for action in actions:
            start = self._clock.now_ns
            calls: list[Call] = []
            tasks: list[Task] = []
            yield from self._perform(action, calls, tasks)
            done.append(Done(action, start, self._clock.now_ns, tuple(calls), tuple(tasks)))

    def _perform(self, action: Action, calls: list[Call], tasks: list[Task]) -> Iterator[int | Completion]:
        if isinstance(action, Work):
            yield action.length_ns
        elif isinstance(action, Launch):
            yield from self._launch(action, calls, tasks)
        elif isinstance(action, Allocate):
            yield from self._allocate(action, calls)
        elif isinstance(action, Copy):
            yield from self._copy(action, calls, tasks)
        elif isinstance(action, Synchronize):
            yield from self._synchronize(action, calls)
        elif isinstance(action, Put):
            yield from self._hand_over(action.holds)
        elif isinstance(action, Take):
            yield from self._take()
        else:
            yield from self._mark(action, calls)

    def _hand_over(self, holds: int) -> Iterator[Completion]:
        number, self._batches[0] = self._batches[0], self._batches[0] + 1
        if number >= holds:
            yield _numbered(self._taken, number - holds)
        _numbered(self._put, number).come()

    def _take(self) -> Iterator[Completion]:
        number, self._batches[1] = self._batches[1], self._batches[1] + 1
        yield _numbered(self._put, number)
        _numbered(self._taken, number).come()

    def _device(self, number: int) -> Device:
        if number not in self._devices:
            self._devices[number] = Device(
                self._clock,
                kernels_share=self._program.kernels_share,
                slower_kernels=self._program.slower_kernels,
                slower_copies=self._program.slower_copies,
            )
        return self._devices[number]

    def _launch(self, action: Launch, calls: list[Call], tasks: list[Task]) -> Iterator[int | Completion]:
        yield action.host_ns
        start = self._clock.now_ns
        device = self._device(action.device)
        if device.room is not None:
            yield device.room
        arrival = self._clock.now_ns + action.latency_ns
        for run_ns in action.runs_ns:
            task = Task(run_ns, action.gap_ns, arrival, device.engines["kernel"], talks=action.talks)
            device.stream(action.stream).give(task)
            tasks.append(task)
        device.enter(tasks[0].started)
        yield action.call_ns
        name = "cudaLaunchKernel" if len(tasks) == 1 else "cudaGraphLaunch"
        calls.append(Call(name, start, self._clock.now_ns))

    def _copy(self, action: Copy, calls: list[Call], tasks: list[Task]) -> Iterator[int | Completion]:
        yield _OP_NS
        start = self._clock.now_ns
        device = self._device(action.device)
        if device.room is not None:
            yield device.room
        arrival = self._clock.now_ns + action.latency_ns
        task = Task(action.run_ns, action.gap_ns, arrival, device.engines[action.direction])
        stream = device.stream(action.stream)
        stream.give(task)
        device.enter(task.started)
        tasks.append(task)
        waits = self._waits(action.site)
        yield from self._wait(task.ended if waits and _holds_host(action) else None, action.call_ns, action)
        calls.append(Call(action.api, start, self._clock.now_ns))
        yield _OP_NS
        if action.synchronized:
            start = self._clock.now_ns
            yield from self._wait(stream.last if waits else None, action.sync_ns, action)
            calls.append(Call("cudaStreamSynchronize", start, self._clock.now_ns))
            yield _OP_NS

    def _allocate(self, action: Allocate, calls: list[Call]) -> Iterator[int | Completion]:
        start = self._clock.now_ns
        if action.api == "cudaFree":
            yield from _device_ends(self._device(action.device))
        yield action.call_ns
        calls.append(Call(action.api, start, self._clock.now_ns))

    def _synchronize(self, action: Synchronize, calls: list[Call]) -> Iterator[int | Completion]:
        start = self._clock.now_ns
        least = start + action.sync_ns
        device = self._device(action.device)
        waited = False
        if self._waits(action.site):
            awaited = {
                "stream": (device.stream(action.stream).last,),
                "device": tuple(stream.last for stream in device.streams),
                "event": (self._events[action.event],) if action.event in self._events else (),
            }[action.kind]
            waited = not all(each.is_done for each in awaited)
            yield from awaited
        yield max(least - self._clock.now_ns, action.return_ns if waited else 0)
        name = f"cuda{action.kind.capitalize()}Synchronize"
        calls.append(Call(name, start, self._clock.now_ns))

    def _mark(self, action: RecordEvent | StreamWait, calls: list[Call]) -> Iterator[int | Completion]:
        start = self._clock.now_ns
        stream = self._device(action.device).stream(action.stream)
        if isinstance(action, RecordEvent):
            self._events[action.event] = stream.last
            name = "cudaEventRecord"
        else:
            awaited = self._events[action.event]
            stream.give(Task(action.resolve_ns, 0, start + action.call_ns, None, awaited))
            name = "cudaStreamWaitEvent"
        yield action.call_ns
        calls.append(Call(name, start, self._clock.now_ns))

    def _wait(self, awaited: Completion | None, least_ns: int, action: Copy) -> Iterator[int | Completion]:
        least = self._clock.now_ns + least_ns
        waited = awaited is not None and not awaited.is_done
        if awaited is not None:
            yield awaited
        yield max(least - self._clock.now_ns, action.return_ns if waited else 0)

    def _waits(self, site: int) -> bool:
        return not (self._recording and site in self._without)


def _numbered(batches: list[Completion], number: int) -> Completion:
    """That of the batch with this number, which may not be there yet."""
    while len(batches) <= number:
        batches.append(Completion())
    return batches[number]


def _device_ends(device: Device) -> Iterator[Completion]:
    """All that its streams have been given so far."""
    yield from [stream.last for stream in device.streams]


def _holds_host(action: Copy) -> bool:
    """Whether the copy call itself blocks until the copy has ended."""
    if "Async" not in action.api:
        return True
    if action.memory != "pageable":
        return False
    return action.direction == "DtoH" or action.size_bytes > SMALL_UPLOAD_BYTES
