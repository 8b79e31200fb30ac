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
from itertools import pairwise
from operator import attrgetter, itemgetter
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
_DEPTHS = (32, 16, 8, 4, 2, 1)
"""How many of the innermost frames a sample has: the first number of which there are as many."""

_HAS_LOCK = not sysconfig.get_config_var("Py_GIL_DISABLED")
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
        self._at_ns: list[int] = []

    def start(self) -> None:
        """Sample this thread from now on."""
        if _HAS_LOCK:
            self._runs = True
            self._at_ns.append(perf_counter_ns())
            start_new_thread(self._run, (get_ident(),))

    def stop(self) -> None:
        """Take no more samples."""
        self._runs = False

    def forget(self) -> None:
        """Stop, and keep nothing."""
        self.stop()
        self._stacks = []

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
        for stack, (before_ns, at_ns) in zip(self._stacks, pairwise(self._at_ns), strict=False):
            line = _line_of(stack)
            if line is not None:
                counts[line] += 1
                time_ns[line] += at_ns - before_ns
        most = time_ns.most_common(MOST_LINES)
        return tuple(SampledLine(*line, count=counts[line], time_ns=spent_ns) for line, spent_ns in most)

    def _run(self, thread: int) -> None:
        depth = 0
        while self._runs and len(self._stacks) < MOST_SAMPLES:
            began_ns = perf_counter_ns()
            if self.is_on:
                try:
                    self._stacks.append(_sample(thread, _DEPTHS[depth]))
                    self._at_ns.append(perf_counter_ns())
                except AttributeError:
                    # The stack is not as deep as that.
                    depth = min(depth + 1, len(_DEPTHS) - 1)
                    continue
                except KeyError:
                    # The thread is gone.
                    return
            taken_s = (perf_counter_ns() - began_ns) / 1e9
            sleep(max(_SHORTEST_PAUSE_S, taken_s / _SHARE_OF_TIME))


def _sample(thread: int, depth: int) -> Stack:
    frames = map(itemgetter(thread), iter(sys._current_frames, None))
    stacks = map(_GETTERS[depth], frames)
    if not gc.isenabled():
        return next(stacks)
    try:
        # One call of C's: Python changes to no other thread within it.
        return next(zip(iter(gc.disable, 0), stacks, iter(gc.enable, 0), strict=True))[1]
    finally:
        gc.enable()


def _getter(depth: int) -> attrgetter[Stack]:
    backwards = ["f_back." * number for number in range(depth)]
    return attrgetter(*(f"{back}{name}" for back in backwards for name in ("f_code", "f_lineno")))


_GETTERS = {depth: _getter(depth) for depth in _DEPTHS}


def _line_of(stack: Stack) -> _Line | None:
    """The innermost line that is neither torch's nor ours, with what runs it; None within an operator."""
    frames = list(_frames(stack))
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


def _frames(stack: Stack) -> Iterator[tuple[CodeType, int]]:
    for code, line in zip(stack[::2], stack[1::2], strict=True):
        if isinstance(code, CodeType) and isinstance(line, int):
            yield code, line
