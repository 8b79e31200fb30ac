"""What is said first of a window: the figures of each case of the verdict, with their sentences.

Times and shares are of a mean step; of the window where the trace marks no steps. Every figure is one of the
record's, and no saving is named that would not show as a difference.

Nothing here analyzes a trace: a stored report is printed without numpy.
"""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.judge.unjudged_words import (
    Capture,
    CutOff,
    LostKernels,
    NoDevice,
    OnlyAllocations,
    OtherDevice,
    UnseenDevice,
)
from tbprof.judge.verdict_figures import Sentences, VerdictFigures
from tbprof.judge.window_words import LEAST_US, WORTH_SHARE, Cause, LargestKernels, Window
from tbprof.model import Figures, StoredNumbers, Verdict
from tbprof.records import dataclass
from tbprof.rules.words import read_figures
from tbprof.texts.figures.places import name_words, place_words
from tbprof.texts.figures.quantities import count, duration, share, size

_LISTED_SHARE = 0.01
_MOST_COPIES = 0.5
"""A part of the device's time below this is not worth a word."""

_SMALL_CAUSE_SHARE = 0.05
"""A cause of less idle than this is not named beside a busy device."""


_BECAUSE = {
    "input": "because it is waiting for data: the next batch is not ready",
    "launch_bound": (
        "because the host is late to launch: it launches kernels more slowly than the GPU runs them"
    ),
    "host_bound": "because the host is late to launch: it does other work between launches",
    "host_unrecorded": "because the host is late to launch; what it does meanwhile was not recorded",
    "item_loop": "because the host is late to launch: it goes through a loop item by item",
    "garbage_collection": "because of garbage collection: Python stops the host meanwhile",
    "staging": "because the host is copying pageable memory before it can be transferred",
    "allocator": "because the host is allocating memory of the GPU, or freeing it",
    "collective": "because the host is in a collective of the hosts (gloo, MPI or a barrier)",
    "another_device": "while the host is waiting for another GPU of this process",
    "compile": "because torch.compile is compiling",
    "profiler": "because the profiler is at work",
    "unrecorded": "while the host is waiting for something unrecorded",
    "queued": "although work is queued",
    "unknown": "and the cause is not known",
}
"""Why the GPU is idle, by case."""

WHILE_LOADING = "while loading in first calls (kernels and library handles)"

_CASE_OF_CAUSE = {"data": "input", "launch": "host_bound"}
"""The case that an older report did not note beside the cause."""


@dataclass(frozen=True, slots=True)
class ColdStart(VerdictFigures):
    window: Window
    cause: Cause
    calls: int
    """First calls, in which kernels and library handles are loaded."""
    calls_us: float
    longest_call: str
    longest_op: str
    """The op that made it; "" where none did."""
    longest_us: float
    before_us: float | None = None
    """What such calls take before the device's first work, where that is most of the recording."""
    recording_us: float | None = None

    @property
    def spent_us(self) -> float:
        return (self.before_us or 0.0) + self.cause.cause_us / max(self.window.steps, 1)

    @property
    def recorded_us(self) -> float | None:
        return self.recording_us

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        idle = self.cause.idle_because(self.window, WHILE_LOADING)
        if self.before_us is not None and self.recording_us is not None:
            before, whole = duration(self.before_us), duration(self.recording_us)
            idle = f"first calls take {before} of its {whole} before the GPU has anything to do"
        return (
            f"The recording began before the program was warm: {idle[0].lower()}{idle[1:]}.",
            f"{self._calls()} That happens once in a process: a longer skip_first leaves it out.",
        )

    def _calls(self) -> str:
        op = f" in {self.longest_op}" if self.longest_op else ""
        call = f"{self.longest_call}{op}"
        if self.calls == 1:
            return f"A first call, {call}, took {duration(self.calls_us)}."
        calls, spent = count(self.calls, "first call"), duration(self.calls_us)
        return f"{calls} took {spent}, of which {call} took {duration(self.longest_us)}."


@dataclass(frozen=True, slots=True)
class LeadingWait(VerdictFigures):
    window: Window
    leading_us: float
    """How long the device does nothing recorded at the beginning."""
    rest_us: float
    rest_busy_share: float
    kernels: LargestKernels

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        leading, rest = duration(self.leading_us), duration(self.rest_us)
        return (
            f"The recording begins with a wait of {leading} for work from before it; in the {rest} after "
            f"that the GPU is busy {share(self.rest_busy_share)}.",
            f"What that wait is for is not in the window.{self.kernels.words()}",
        )


@dataclass(frozen=True, slots=True)
class ModelMoved(VerdictFigures):
    """A window in which a model is moved to the device, and used for less than twice as long after it."""

    window: Window
    uploads: int
    bytes: int
    moved_us: float
    """The time from the begin of the window."""
    uploading_us: float
    """The part of it from the first upload to the end of the last."""
    rest_us: float
    rest_busy_share: float
    kernels: LargestKernels

    @property
    def spent_us(self) -> float:
        return self.moved_us

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        moved, whole = duration(self.moved_us), duration(self.window.steps_us)
        rest, busy = duration(self.rest_us), share(self.rest_busy_share)
        what = f"{size(self.bytes)} in {self.uploads} uploads"
        starts = 2 * self.uploading_us < self.moved_us
        return (
            f"The program starts in the first {moved} of the {whole}, and moves a model to the GPU: {what}."
            if starts
            else f"A model is moved to the GPU in {moved} of the {whole}: {what}.",
            f"In the {rest} after that the GPU is busy {busy}.{self.kernels.words()}",
        )


@dataclass(frozen=True, slots=True)
class OutsideWindow(VerdictFigures):
    """A recording most of which is before the device's first work or after its last."""

    window: Window
    recording_us: float
    outside_us: float
    before_window_us: float
    after_window_us: float
    data_us: float
    """The part outside in which the host is in the data loader."""
    loading_us: float
    """The part outside in first calls."""

    @property
    def recorded_us(self) -> float | None:
        return self.recording_us

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        window, recording = duration(self.window.steps_us), duration(self.recording_us)
        sides_us = {"before": self.before_window_us, "after": self.after_window_us}
        sides = " and ".join(side for side, us in sides_us.items() if us >= _LISTED_SHARE * self.outside_us)
        outside = f"{duration(self.outside_us)} {sides} that"
        spent_us = {
            "the data loader takes": self.data_us,
            "first calls of CUDA or HIP take": self.loading_us,
        }
        spent = [
            f"{name} {duration(us)}" for name, us in spent_us.items() if us >= _LISTED_SHARE * self.outside_us
        ]
        rest = (
            f"Of the {outside}, {' and '.join(spent)}"
            if spent
            else f"The {outside} are in none of the figures"
        )
        copying = self.window.copying_share
        copies = f", and copies with nothing beside it {share(copying)}" if copying >= _MOST_COPIES else ""
        return (
            f"The GPU's work is within {window} of a recording of {recording}.",
            f"{rest}. Within the {window} the GPU is idle {share(self.window.idle_share)}{copies}.",
        )


@dataclass(frozen=True, slots=True)
class Communication(VerdictFigures):
    window: Window

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        window = self.window
        part, waiting = share(window.communication_share), window.waiting_for_ranks()
        first = f"{window.gpu} spends {part} of {window.name} in communication that no computing covers"
        return (
            f"{first}, {waiting}." if waiting else f"{first}.",
            f"It computes {share(window.computing_share)} and is idle {share(window.idle_share)}. Compare "
            "the ranks of this run first: if one of them is late, the others wait for it, and its cause is "
            "the thing to change.",
        )


@dataclass(frozen=True, slots=True)
class Copying(VerdictFigures):
    window: Window

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        window = self.window
        part, computing = share(window.copying_share), share(window.computing_share)
        return (
            f"{window.gpu} spends {part} of {window.name} copying, with nothing computed beside it.",
            f"It computes {computing}. Copies of pinned memory on a stream of their own run beside kernels.",
        )


@dataclass(frozen=True, slots=True)
class Uneven(VerdictFigures):
    """Single steps that are idle while most are not."""

    window: Window
    cause: Cause
    uneven_steps: int
    uneven_idle_us: float
    typical_idle_share: float
    because: str
    """The case that the cause would be."""

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        spent, others = duration(self.uneven_idle_us), share(1.0 - self.typical_idle_share)
        verb = "is" if self.uneven_steps == 1 else "are"
        return (
            f"{self.uneven_steps} of {self.window.steps} steps {verb} idle for {spent} in all, mostly "
            f"{_because(self.because)}; in a typical step the GPU is busy {others}.",
            self.window.communication_beside().strip(),
        )


@dataclass(frozen=True, slots=True)
class Busy(VerdictFigures):
    window: Window
    cause: Cause
    because: str
    """The case that the cause would be."""
    kernels: LargestKernels

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        detail = f"{self._small_cause()}{self.window.waits_beside()}"
        return self._busy(), f"{detail}{self.kernels.words()}".strip()

    def _busy(self) -> str:
        window = self.window
        parts = {
            "computing": window.computing_share,
            "communication that no computing covers": window.communication_share,
            "copying": window.copying_share,
        }
        listed = [f"{share(part)} {name}" for name, part in parts.items() if part >= _LISTED_SHARE]
        said = f"{window.gpu} is busy {share(1.0 - window.idle_share)} of {window.name}"
        if len(listed) == 1:
            return f"{said}, {listed[0].partition('% ')[2] or 'computing'}."
        return f"{said}: {', '.join(listed)}." if listed else f"{said}."

    def _small_cause(self) -> str:
        """Why a busy device is idle at times, where one cause holds enough of it."""
        part = self.cause.cause_us / max(self.window.steps_us, LEAST_US)
        if part < _SMALL_CAUSE_SHARE:
            return ""
        return f"It is idle {share(part)} of {self.window.name} {_because(self.because)}. "


@dataclass(frozen=True, slots=True)
class Waits(VerdictFigures):
    window: Window
    cause: Cause

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        window = self.window
        detail = f"{window.host_waits()}; a wait beside a busy GPU costs nothing."
        most = duration(window.of_step(window.ceiling_us))
        if window.planned_us < WORTH_SHARE * window.step_us:
            won = f"its waits hold at most {most} of {duration(window.step_us)}"
            return f"{window.idle()}; {won}.", f"{window.without_waits()}{detail}"
        least = duration(window.of_step(window.floor_us))
        shorter = window.shorter(window.planned_us, "without the waits that can go")
        bounds = f"At least {least}, at most {most} would be saved. "
        return f"{window.idle()}; {shorter}.", f"{bounds}{detail}{window.communication_beside()}"


@dataclass(frozen=True, slots=True)
class Drained(VerdictFigures):
    """Idle of another cause that follows a wait in which the device ran dry."""

    window: Window
    cause: Cause
    because: str = ""
    """The case that the cause would be."""

    def sentences(self, *, waits_come_first: bool) -> Sentences:
        because = self.because or _CASE_OF_CAUSE.get(self.cause.cause, self.cause.cause)
        idle = self.cause.idle_because(self.window, _because(because))
        if waits_come_first:
            return (
                f"Waits let the GPU run dry before the host is ready with more: {self._without()}.",
                f"{idle}, most of it after such a wait.",
            )
        return f"{idle}.", f"Most of it follows a wait that let the GPU run dry: {self._without()}."

    def _without(self) -> str:
        window = self.window
        is_planned = window.planned_us >= WORTH_SHARE * window.step_us
        saved_us = window.planned_us if is_planned else window.of_step(window.gain_us or 0.0)
        return window.shorter(saved_us, "without these waits")


@dataclass(frozen=True, slots=True)
class CausePlace(Figures):
    place: str
    """The code; "" outside of every label and function."""
    place_us: float


@dataclass(frozen=True, slots=True)
class Bound(VerdictFigures):
    """Idle that has one cause, whichever the case names."""

    window: Window
    cause: Cause
    where: CausePlace | None = None
    """Where most of it is; None where nothing names that."""
    others: int | None = None
    """Other processes on the device, where work was queued meanwhile and they are known."""

    @property
    def order(self) -> str:
        if not self.others:
            return ""
        spent, whole = duration(self.spent_us), duration(self.window.step_us)
        others = count(self.others, "other process", "other processes")
        return (
            f"First: give the program a GPU of its own: {others} work on this one, up to {spent} of {whole}."
        )

    @property
    def spent_us(self) -> float:
        return self.cause.cause_us / max(self.window.shown_steps, 1)

    def because(self, case: str) -> Sentences:
        """The verdict of this case."""
        window, too = self.window, self.window.communication_too()
        # Beside communication the sentence would be too long with what the cause is exactly.
        because, _, exactly = _because(case).partition(": ") if too else (_because(case), "", "")
        first = f"{self.cause.idle_because(window, because)}{too}."
        if self.others:
            return first, f"{self._place()}Meanwhile the GPU works for another process."
        if case == "queued":
            other_rank = "another rank, " if window.ranks != 1 else ""
            return (
                first,
                f"{self._place()}The GPU may wait for another process, {other_rank}or work that was not "
                "recorded.",
            )
        detail = f"{exactly[0].upper()}{exactly[1:]}. " if exactly else ""
        beside = window.communication_of() if too else window.communication_beside()
        return first, f"{detail}{self._place()}{window.waits_beside()}{beside}"

    def _place(self) -> str:
        if self.where is None:
            return ""
        spent, place = duration(self.window.of_step(self.where.place_us)), place_words(self.where.place)
        if not place:
            return f"{spent} of that idle time is outside every labeled range and function. "
        return f"{spent} of that idle time is in {place}. "


@dataclass(frozen=True, slots=True)
class HeldBack(VerdictFigures):
    """Work that the driver submits only once the host waits for it."""

    window: Window
    cause: Cause
    waits: int
    """The waits in which the device was free and work was queued for long."""
    held_us: float
    op: str
    """The innermost operator of most of them; "" where none is recorded."""
    on_windows: bool = False
    """Whether the recording shows Windows, or WSL: there fewer waits win it back."""

    @property
    def order(self) -> str:
        window = self.window
        most, whole = duration(window.of_step(self.held_us)), duration(window.step_us)
        place = f" ({self.op})" if self.op else ""
        order = f"First: {_FEWER_WAITS.get(self.op, 'wait less often')}{place}"
        if self.on_windows:
            return f"{order}: up to {most} of {whole}."
        return f"{order}: {most} of {whole} pass in its waits." if self.op in _NEEDLESS else ""

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        window, held = self.window, duration(self.window.of_step(self.held_us))
        where = f", most of them in {self.op}" if self.op else ""
        part = f"{held} of it in {count(self.waits, 'wait')}{where}"
        if not self.on_windows:
            return (
                f"{self.cause.idle_because(window, _because('queued'))}.",
                f"{part}. The GPU may work for another process, or the driver holds launches back until the "
                "host waits for them, as those of Windows do, and under WSL.",
            )
        idle = self.cause.idle_because(window, "although work is queued: it begins only while the host waits")
        return (
            f"{idle}.",
            f"{part}. Drivers of Windows, and under WSL, hold launches back until the host waits for them; "
            "another process on the GPU looks alike.",
        )


_FEWER_WAITS = {
    "aten::_coalesce": "coalesce each sparse tensor once, and keep it",
    "aten::_local_scalar_dense": "read numbers back less often",
}
"""What to do about waits in an operator."""
_NEEDLESS = frozenset({"aten::_coalesce"})
"""Operators that one call can do for all: whoever holds up the GPU, their waits go."""


_RECORDS: Mapping[str, type[VerdictFigures]] = {
    "no_device": NoDevice,
    "on_cpu": NoDevice,
    "unseen_device": UnseenDevice,
    "lost_kernels": LostKernels,
    "capture": Capture,
    "cut_off": CutOff,
    "only_allocations": OnlyAllocations,
    "other_device": OtherDevice,
    "cold_start": ColdStart,
    "leading_wait": LeadingWait,
    "model_moved": ModelMoved,
    "outside_window": OutsideWindow,
    "communication": Communication,
    "copying": Copying,
    "uneven": Uneven,
    "busy": Busy,
    "waits": Waits,
    "drained": Drained,
    "held_back": HeldBack,
}
"""The record of each case; those that are a cause of idle have `Bound`."""


def verdict_figures(case: str, stored: StoredNumbers) -> Figures:
    """The figures of a stored verdict."""
    return read_figures(_RECORDS.get(case, Bound), stored)


def verdict_sentences(verdict: Verdict, *, waits_come_first: bool = True) -> Sentences:
    """The verdict, and a second sentence; of another version, that its figures are that, and nothing more."""
    figures = verdict.figures.in_words(name_words)
    if not isinstance(figures, VerdictFigures):
        return OF_OTHER_VERSION, ""
    if isinstance(figures, Bound):
        first, second = figures.because(verdict.case)
    else:
        first, second = figures.sentences(waits_come_first=waits_come_first)
    of_recording = "" if figures.window is None else figures.window.of_recording()
    return first, f"{second} {of_recording}".strip()


OF_OTHER_VERSION = "What is said first of this window was decided by another version of tbprof."


def scope_sentence(verdict: Verdict | None) -> str:
    """What the figures of a window are of, where much of what was recorded is not in the file; else ""."""
    return (
        verdict.figures.scope if verdict is not None and isinstance(verdict.figures, VerdictFigures) else ""
    )


def window_of(verdict: Verdict | None) -> Window | None:
    """The figures of the device's time; None where none was recorded, or by another version."""
    return (
        verdict.figures.window
        if verdict is not None and isinstance(verdict.figures, VerdictFigures)
        else None
    )


def _because(case: str) -> str:
    return _BECAUSE.get(case, f"because of {case.replace('_', ' ')}")
