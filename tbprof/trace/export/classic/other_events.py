"""Events that are no rows, in the classic dialect: memory, arrows, names of threads."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tbprof.trace.export.classic.rows import RawEvent
from tbprof.trace.export.classic.threads import Threads
from tbprof.trace.export.classic.times import ClassicClock

_CPU, _CUDA = 0, 1
_TO_BACKWARD = "forward_backward"
_SIZES = ("Total Allocated", "Total Reserved")


class ClassicOthers:
    """Rewrites the other events of one trace."""

    def __init__(self, threads: Threads, clock: ClassicClock, num_devices: int) -> None:
        """`num_devices` is how many devices the copy describes."""
        self._threads = threads
        self._clock = clock
        self._num_devices = num_devices

    def rewrite(self, events: list[RawEvent]) -> Iterator[RawEvent]:
        """The same events, without those that the plugin would stumble over."""
        for event in events:
            event["name"] = str(event.get("name") or "")
            if not self._move(event):
                continue
            event["tid"] = self._threads.number(event)
            if event.get("cat") == _TO_BACKWARD:
                # With these arrows the plugin drops every backward operator that has no module.
                event["cat"] = "fwdbwd"
            if event["name"] == "[memory]" and event.get("ph") == "i" and not self._fit_memory(event):
                continue
            yield event

    def _move(self, event: RawEvent) -> bool:
        """Move an event to the copy's clock; False where its time is none."""
        at = event.get("ts")
        if at is None:
            return event.get("ph") == "M"
        if isinstance(at, bool) or not isinstance(at, (int, float)) or not math.isfinite(at):
            return False
        event["ts"] = self._clock.event_us(at)
        return True

    def _fit_memory(self, event: RawEvent) -> bool:
        args = event.get("args")
        if not isinstance(args, dict) or not isinstance(args.get("Bytes"), int):
            return False
        # The plugin knows the processor and CUDA; ROCm and others bear other numbers.
        args["Device Type"] = _CPU if args.get("Device Type") == _CPU else _CUDA
        device = args.get("Device Id")
        known = isinstance(device, int) and device < self._num_devices
        for key in _SIZES:
            # It looks the peak up in the list of devices, and fails where there is no such one.
            if not isinstance(args.get(key), int) or not known:
                args.pop(key, None)
        return True
