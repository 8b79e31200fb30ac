"""Samples of what the training's thread does where torch runs no operator: NumPy, PIL, a tokenizer, Python.

Nothing of the program notices that. A sample is taken in one piece, in C, while Python's lock is held: no
frame is kept after it, as who holds one keeps its variables alive, and no garbage is collected during it, as
the program's finalizers would run on a thread of ours.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
from _thread import start_new_thread
from collections import Counter
from collections.abc import Iterator
from functools import cache
from operator import attrgetter, itemgetter, methodcaller
from threading import get_ident
from time import perf_counter_ns, sleep
from types import CodeType

from torch.utils.data.dataloader import _BaseDataLoaderIter

from tbprof.hook.audit.call_log import HOOK, is_own_file, is_users_file
from tbprof.hook.audit.source_text import trace_file_name
from tbprof.model import IN_LOADER, SampledLine, Source
from tbprof.program.caller_frame import RELAY

MOST_LINES = 64
MOST_SAMPLES = 20_000

_SHORTEST_PAUSE_S = 0.001
_SHARE_OF_TIME = 0.008
"""The most that samples take of a step's time."""
_DEPTHS = (32, 24, 18, 14, 11, 9, 7, 5, 4, 3, 2, 1)
"""How many of the innermost frames a sample has: about as many as there are. One that asks for more fails."""

HAS_LOCK = not sysconfig.get_config_var("Py_GIL_DISABLED")
_NEXT_BATCH = _BaseDataLoaderIter.__next__.__code__

_Line = tuple[str, int, str, Source | None, str]
Stack = tuple[object, ...]
"""A code object and a line in turn, from the innermost frame outwards."""


class StackSampler:
    """Looks at the thread that starts it, from another one, up to 1,000 times a second."""

    def __init__(self) -> None:
        self.is_on = True
        """Off, it looks away."""
        self._runs = False
        self._stacks: list[Stack] = []
        self._spent_ns: list[int] = []
        """The time since the look before, of each."""

    def start(self) -> None:
        """Sample this thread from now on."""
        if HAS_LOCK:
            self._runs = True
            start_new_thread(self._run, (Looks(get_ident(), _DEPTHS),))

    def stop(self) -> None:
        """Take no more samples."""
        self._runs = False

    def forget(self) -> None:
        """Stop, and keep nothing."""
        self.stop()
        self._stacks, self._spent_ns = [], []

    @property
    def taken(self) -> int:
        """How many samples there are, those within torch's operators among them."""
        return len(self._stacks)

    @property
    def lines(self) -> tuple[SampledLine, ...]:
        """The lines outside of torch's operators, those with the most time first.

        A sample stands for the time since the one before: where Python code holds the lock, they are rarer.
        """
        time_ns: Counter[_Line] = Counter()
        counts: Counter[_Line] = Counter()
        # Another sample may be on its way.
        for stack, spent_ns in zip(tuple(self._stacks), self._spent_ns, strict=False):
            line = _line_of(stack)
            if line is not None:
                counts[line] += 1
                time_ns[line] += spent_ns
        most = time_ns.most_common(MOST_LINES)
        return tuple(SampledLine(*line, count=counts[line], time_ns=all_ns) for line, all_ns in most)

    def _run(self, looks: Looks) -> None:
        before_ns = perf_counter_ns()
        while self._runs and len(self._stacks) < MOST_SAMPLES:
            began_ns = perf_counter_ns()
            if self.is_on:
                stack = looks.take()
                if stack is None:
                    # The thread is gone.
                    return
                self._spent_ns.append(perf_counter_ns() - before_ns)
                self._stacks.append(stack)
            before_ns = perf_counter_ns()
            pause_s = (before_ns - began_ns) / 1e9 / _SHARE_OF_TIME
            # max() would allocate.
            sleep(pause_s if pause_s > _SHORTEST_PAUSE_S else _SHORTEST_PAUSE_S)


class Looks:
    """Looks at a thread's stack, each in one call of C's: Python changes to no other thread within it.

    To be made on the program's thread, and once: what a look allocates while garbage is collected would have
    it collected on ours.
    """

    def __init__(self, thread: int, depths: tuple[int, ...]) -> None:
        """`depths` are how many of the innermost frames may be taken, the most first."""
        self._collected: list[bool] = []
        self._of_depth = tuple(self._looks(thread, depth) for depth in depths)
        self._at = 0

    def _looks(self, thread: int, depth: int) -> Iterator[tuple[object, object, Stack, object]]:
        frames = map(itemgetter(thread), iter(sys._current_frames, None))
        notes = map(self._collected.append, iter(gc.isenabled, None))
        as_before = map((gc.isenabled, gc.enable).__getitem__, iter(self._collected.pop, None))
        stacks = map(_getter(depth), frames)
        return zip(notes, iter(gc.disable, 0), stacks, map(methodcaller("__call__"), as_before), strict=False)

    def take(self) -> Stack | None:
        """One more frame than last time, and fewer until there are as many; None where the thread is gone."""
        self._at -= self._at > 0
        while (stack := self._taken(self._at)) is None and self._at + 1 < len(self._of_depth):
            self._at += 1
        return stack

    def take_whole(self) -> Stack | None:
        """All frames, as far as one of the depths goes; None where the thread is gone."""
        stack = self._taken(self._at)
        if stack is not None and (self._at == 0 or self._taken(self._at - 1) is None):
            # As deep as last time.
            return stack
        low, high = 0, len(self._of_depth)
        stack = None
        while low < high:
            self._at = (low + high) // 2
            found = self._taken(self._at)
            low, high, stack = (self._at + 1, high, stack) if found is None else (low, self._at, found)
        self._at = min(low, len(self._of_depth) - 1)
        return stack

    def _taken(self, at: int) -> Stack | None:
        try:
            return next(self._of_depth[at])[2]
        except (AttributeError, KeyError):
            if self._collected.pop():
                gc.enable()
            return None


@cache
def _getter(depth: int) -> attrgetter[Stack]:
    backwards = ["f_back." * number for number in range(depth)]
    return attrgetter(*(f"{back}{name}" for back in backwards for name in ("f_code", "f_lineno")))


def _line_of(stack: Stack) -> _Line | None:
    """The innermost line that is neither torch's nor ours, with what runs it; None within an operator."""
    frames = list(frames_of(stack))
    innermost = frames[0][0]
    if innermost.co_name == RELAY or innermost.co_filename.startswith(HOOK):
        return None
    users = [one for one in frames if one[0].co_name != RELAY and is_users_file(one[0].co_filename)]
    if not users:
        return None
    code, line = users[0]
    within = IN_LOADER if any(one is _NEXT_BATCH for one, _ in frames) else ""
    return trace_file_name(code.co_filename), line, code.co_name, _caller(users), within


def _caller(users: list[tuple[CodeType, int]]) -> Source | None:
    """The line of the program's own that runs the first of these, where that is a library's."""
    if is_own_file(users[0][0].co_filename):
        return None
    for code, line in users[1:]:
        if is_own_file(code.co_filename):
            return Source(trace_file_name(code.co_filename), line, code.co_name, exact=True, candidates=())
    return None


def frames_of(stack: Stack) -> Iterator[tuple[CodeType, int]]:
    """Each frame's code and line, from the innermost outwards."""
    for code, line in zip(stack[::2], stack[1::2], strict=True):
        if isinstance(code, CodeType) and isinstance(line, int):
            yield code, line
