"""What the training's thread does while a step takes far longer than others: samples of its stack.

While steps come as usual, another thread wakes now and then, reads the time of the last one, and sleeps on.
"""

from __future__ import annotations

import sys
from _thread import start_new_thread
from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import get_ident
from time import perf_counter_ns, sleep

from tbprof.hook.audit.stack_sampler import HAS_LOCK, Looks, Stack
from tbprof.hook.step_clock import StepClock

_DEPTHS = (*range(96, 40, -4), *range(40, 0, -1))
"""How many frames a sample has: what evaluates lies around the model's own calls."""

_BETWEEN_NS = 20_000_000
_PARTS_OF_PAUSE = 100
"""A pause is sampled each 20 ms, and a long one after each hundredth of its length: hours of it are some
1,500 samples."""

_IDLE_NS = 25_000_000
_LONGEST_SLEEP_NS = 1_000_000_000
_UNKNOWN_NS = 50_000_000
"""While nobody knows how long a step takes."""

_MOST_SAMPLES = 20_000
_FORKS_WARN_SINCE = 0x030C0000
"""The version of Python, as `sys.hexversion` has it."""


class PauseWatcher:
    """The samples are taken from `samples_until` by the program's own thread."""

    def __init__(self, clock: StepClock) -> None:
        self._clock = clock
        self.usual_ns = 0
        """How long a step takes; 0 where it is not known."""
        self._runs = False
        # Two, since a pair of them would be a container that is made on the other thread.
        self._at_ns: deque[int] = deque(maxlen=_MOST_SAMPLES)
        self._stacks: deque[Stack] = deque(maxlen=_MOST_SAMPLES)

    def start(self) -> None:
        """Watch the thread that calls this, until `stop`."""
        if HAS_LOCK and not self._runs and not _forks_would_warn():
            self._runs = True
            # Where a process ends, or has no thread left to give, no pause has a place.
            with suppress(RuntimeError):
                start_new_thread(self._run, (Looks(get_ident(), _DEPTHS),))

    def stop(self) -> None:
        """Watch no more."""
        self._runs = False

    @property
    def patience_ns(self) -> int:
        """A step that takes longer is sampled from then on."""
        usual_ns = self.usual_ns
        # max() would allocate.
        return (usual_ns + (usual_ns if usual_ns > _BETWEEN_NS else _BETWEEN_NS)) if usual_ns else _UNKNOWN_NS

    def samples_until(self, end_ns: int) -> list[tuple[int, Stack]]:
        """The samples up to that instant, which are given once."""
        found = []
        while self._at_ns and self._at_ns[0] <= end_ns:
            found.append((self._at_ns.popleft(), self._stacks.popleft()))
        return found

    def _run(self, looks: Looks) -> None:
        while self._runs:
            left_ns = self.patience_ns - (perf_counter_ns() - self._clock.last_ns)
            if left_ns > 0:
                least = left_ns if left_ns > _IDLE_NS else _IDLE_NS
                sleep((least if least < _LONGEST_SLEEP_NS else _LONGEST_SLEEP_NS) / 1e9)
                continue
            stack = looks.take_whole()
            if stack is None:
                # The thread is gone.
                return
            now_ns = perf_counter_ns()
            self._stacks.append(stack)
            self._at_ns.append(now_ns)
            sleep(pause_before_next(now_ns - self._clock.last_ns) / 1e9)


def _forks_would_warn() -> bool:
    """Whether another thread would be the first beside this one: from Python 3.12 on a fork then warns, which
    can be an error. What uses a GPU has other threads.
    """
    try:
        return sys.hexversion >= _FORKS_WARN_SINCE and len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def pause_before_next(since_ns: int) -> int:
    """How long after a sample the next one is taken, in a pause that began so long before it."""
    part_ns = since_ns // _PARTS_OF_PAUSE
    return part_ns if part_ns > _BETWEEN_NS else _BETWEEN_NS
