"""The audit step: one step beside a window, in which the lines are recorded that no trace holds.

It comes after the profiler has stopped, so that recording costs neither a recorded step nor
the trace a row. A training's steps are alike, and so its calls can be joined by their order
with those of the steps before. Where it uploads little pieces, the step after it tells
whether these are the same bytes again.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from itertools import pairwise
from types import FrameType
from typing import Any

import torch
from torch.optim import Optimizer

from tbprof.hook.audit.call_log import CallLog, user_frame
from tbprof.hook.audit.line_recorder import LineRecorder
from tbprof.hook.audit.source_text import source_texts, trace_file_name
from tbprof.hook.audit.stack_sampler import StackSampler
from tbprof.hook.audit.sync_warnings import SyncCallbacks, SyncWarnings
from tbprof.hook.safety.compiled_code import has_compiled_code
from tbprof.hook.safety.guard import MissingFacts, let_through
from tbprof.hook.safety.held_questions import are_questions_held
from tbprof.hook.safety.program_values import class_name
from tbprof.model import Audit, Construction, MissingFact

LONGEST_CYCLE = 20
FULLER = 1.5

NO_STEP = "no_step"
COMPILED = "compiled"
FAULT = "fault"
HELD = "held"


@dataclass(frozen=True, slots=True)
class Audited:
    """What came of an audit step."""

    audit: Audit
    missing: tuple[MissingFact, ...] = ()


class AuditStep:
    """Records from `start` to `finish`, which must be called on one thread.

    Of its parts none needs another: the function mode sees calls, the warnings see waits, and the
    constructions are counted. In a program with compiled code the mode stays out, and so does the sampler of
    stacks, which knows by the mode where torch runs an operator.
    """

    def __init__(self, *, embed_source: bool, sync_callbacks: bool = False, steps: int = 1) -> None:
        """`steps` is how many are recorded at most until one that is far fuller than others comes again."""
        self._embed_source = embed_source
        self._steps = steps
        self._missing = MissingFacts()
        self._recorder = LineRecorder(self._missing)
        self._whole: list[tuple[CallLog, int]] = []
        """The steps that were seen, each with the backward passes in it."""
        self._only_learned = False
        """Whether the latest of them is only kept in case that none follows."""
        self._constructions = ConstructionWatch(self._missing)
        self._sampler = StackSampler()
        self._waits_fact = "sync_callbacks" if sync_callbacks else "sync_warnings"
        self._waits: SyncWarnings | SyncCallbacks = (
            SyncCallbacks(self._recorder.note_sync)
            if sync_callbacks
            else SyncWarnings(self._recorder.note_sync)
        )
        self._left_out = COMPILED if has_compiled_code() else HELD if are_questions_held() else ""

    def start(self) -> None:
        """A step begins."""
        if not self._left_out and not self._is_done("function_calls", self._recorder.begin):
            self._left_out = FAULT
        if not self._left_out:
            self._is_done("samples", self._sampler.start)
        self._is_done("constructions", self._constructions.start)
        if not self._is_done(self._waits_fact, self._waits.start):
            self._is_done(self._waits_fact, self._waits.stop)

    def pause(self, *, paused: bool) -> None:
        """Record nothing for a while."""
        self._recorder.is_on = self._constructions.is_on = self._sampler.is_on = not paused

    def wants_another_step(self) -> bool:
        """At the end of a step: whether another one tells more, which then has begun."""
        self._sampler.stop()
        if self._recorder.met_compiler and not self._left_out:
            # What was seen until then is a part of a step. Of the next one, waits can be heard.
            self._left_out = COMPILED
            self._whole.clear()
            self._recorder.forget()
            self._sampler.forget()
            return self._waits.is_heard
        contents = self._recorder.log.contents
        if self._left_out or contents.is_comparing:
            return False
        if self._only_learned:
            self._whole.clear()
        self._whole.append((self._recorder.log, self._recorder.backward_calls))
        self._only_learned = self._recorder.looks_again()
        if self._only_learned or (len(self._whole) < self._steps and _cycle(self._logs) is None):
            self._recorder.forget()
            self._is_done("constructions", self._constructions.stop)
            return True
        if not contents.wants_second_step:
            return False
        contents.begin_second_step()
        self._is_done("constructions", self._constructions.stop)
        self._is_done(self._waits_fact, self._waits.stop)
        return True

    @property
    def has_seen_a_step(self) -> bool:
        """Whether a whole step is over, and this one only tells more of it."""
        return bool(self._whole)

    def finish(self) -> Audited:
        """Stop recording; what was seen, of whole steps."""
        self.leave()
        first, *others = _typical(self._logs) or [self._recorder.log]
        for other in others:
            first.add(other)
        first.contents = self._recorder.log.contents
        sources = self._missing.ask("sources", lambda: source_texts(first.places), ())
        audit = Audit(
            left_out=self._left_out,
            calls=first.calls,
            order=tuple(first.order),
            dropped=first.dropped,
            sources=sources if self._embed_source else (),
            constructions=self._constructions.constructions,
            backward_calls=max((calls for _, calls in self._whole), default=self._recorder.backward_calls),
            samples=self._missing.ask("samples", lambda: self._sampler.lines, ()),
            samples_taken=self._sampler.taken,
            steps=first.steps,
        )
        return Audited(audit, self._missing.facts)

    @property
    def _logs(self) -> list[CallLog]:
        return [log for log, _ in self._whole]

    def leave(self) -> None:
        """Stop recording and keep nothing."""
        try:
            self.turn_off()
        finally:
            self._is_done("function_calls", self._recorder.end)

    def turn_off(self) -> None:
        """Stop recording from another thread: the mode stays where it is, and lets everything pass."""
        self._recorder.is_on = False
        self._sampler.stop()
        try:
            self._is_done("constructions", self._constructions.stop)
        finally:
            self._is_done(self._waits_fact, self._waits.stop)

    def _is_done(self, fact: str, action: Callable[[], None]) -> bool:
        """Whether it went well; if not, only that fact is missing."""

        def done() -> bool:
            action()
            return True

        return self._missing.ask(fact, done, otherwise=False)


def _cycle(logs: list[CallLog]) -> list[CallLog] | None:
    """The steps from one that is far fuller than others until the next; None where none has come again."""
    sizes = [len(log.order) for log in logs]
    fuller = [at for at, size in enumerate(sizes) if 2 * size > min(sizes) + max(sizes)]
    return next((logs[a:b] for a, b in pairwise(fuller) if b - a > 1 and _differ(logs)), None)


def _differ(logs: list[CallLog]) -> bool:
    sizes = [len(log.order) for log in logs]
    return max(sizes, default=0) > FULLER * min(sizes, default=0)


def _typical(logs: list[CallLog]) -> list[CallLog]:
    """A cycle, or all that were seen; of steps that are alike, as where one was only held up, the latest."""
    return _cycle(logs) or (logs if _differ(logs) else logs[-1:])


def no_audit(reason: str) -> Audited:
    """What stands for an audit step that was left out."""
    return Audited(Audit(left_out=reason, calls=(), order=(), dropped=0, sources=()))


MOST_LINES = 100

_WATCHED: tuple[Any, ...] = (torch.nn.Module, Optimizer)
"""Every module, every loss and every optimizer runs the `__init__` of one of them."""


class ConstructionWatch:
    """Counts by line; only from `start` to `stop` are the two `__init__` ours."""

    def __init__(self, missing: MissingFacts) -> None:
        self._missing = missing
        self.is_on = True
        """Off, it counts nothing."""
        self._counts: Counter[tuple[str, int, str, str]] = Counter()
        self._replaced: list[tuple[Any, Callable[..., None], Callable[..., None]]] = []

    def start(self) -> None:
        """Count from now on."""
        for kind in _WATCHED:
            original = kind.__init__
            ours = self._counting(original)
            kind.__init__ = ours
            self._replaced.append((kind, original, ours))

    def stop(self) -> None:
        """Put back what was there; where another tool has put its own over ours, that stays."""
        self.is_on = False
        for kind, original, ours in self._replaced:
            if kind.__init__ is ours:
                kind.__init__ = original
        self._replaced.clear()

    @property
    def constructions(self) -> tuple[Construction, ...]:
        """What was built, in the order in which it first was."""
        lines = list(self._counts.items())[:MOST_LINES]
        return tuple(Construction(*line, count=count) for line, count in lines)

    def _counting(self, original: Callable[..., None]) -> Callable[..., None]:
        watch = self

        @wraps(original)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it stands for one
            if watch.is_on:
                watch._look(self, sys._getframe(1))
            original(self, *args, **kwargs)

        return __init__

    def _look(self, built: Any, innermost: FrameType) -> None:
        try:
            self._note(class_name(built), innermost)
        except Exception as fault:  # noqa: BLE001 - the border to the user's constructor
            let_through(fault)
            self._missing.note("constructions", fault)
            self.is_on = False

    def _note(self, kind: str, innermost: FrameType) -> None:
        frame = user_frame(innermost)
        # A class of the user's: what counts is the line that asked for the object.
        while frame is not None and frame.f_code.co_name == "__init__":
            frame = user_frame(frame.f_back)
        if frame is not None:
            code = frame.f_code
            self._counts[trace_file_name(code.co_filename), frame.f_lineno, code.co_name, kind] += 1
