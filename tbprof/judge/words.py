"""What is said first of a window: the figures of each case of the verdict, with their sentences.

Times and shares are of a mean step; of the window where the trace marks no steps. Every figure is one of the
record's, and no saving is named that would not show as a difference.

Nothing here analyzes a trace: a stored report is printed without numpy.
"""

from __future__ import annotations

from collections.abc import Mapping

from tbprof.judge.window_words import LEAST_US, WORTH_SHARE, Cause, LargestKernels, Window
from tbprof.model import Figures, StoredNumbers, Verdict
from tbprof.records import dataclass
from tbprof.rules.words import read_figures
from tbprof.texts.figures.places import name_words, place_words
from tbprof.texts.figures.quantities import count, duration, share

_LISTED_SHARE = 0.01
"""A part of the device's time below this is not worth a word."""

_SMALL_CAUSE_SHARE = 0.05
"""A cause of less idle than this is not named beside a busy device."""


_BECAUSE = {
    "input": "because the next batch is not ready",
    "launch_bound": "because the host launches kernels more slowly than the GPU runs them",
    "host_bound": "because the host does other work between launches",
    "item_loop": "because the host goes through a loop item by item",
    "staging": "because the host copies pageable memory before it can be transferred",
    "allocator": "because the host allocates and frees GPU memory",
    "collective": "because the host waits in a collective (gloo, MPI or a barrier)",
    "another_device": "while the host waits for another GPU of this process",
    "compile": "because torch.compile is at work",
    "profiler": "because the profiler is at work",
    "unrecorded": "while the host waits for work that is not in the recording",
    "queued": "although work is queued",
    "unknown": "for a reason that the recording does not show",
}
"""Why the GPU is idle, by case."""

_CASE_OF_CAUSE = {"data": "input", "launch": "host_bound"}

Sentences = tuple[str, str]
"""The first sentence, and a second one; "" where there is nothing to add."""


class VerdictFigures(Figures):
    """The base of these records."""

    __slots__ = ()

    @property
    def window(self) -> Window | None:
        """The figures of the device's time; None where none was recorded."""
        return None

    @property
    def scope(self) -> str:
        """What figures are of where much of what was recorded is not in the file; "" elsewhere."""
        return ""

    @property
    def once_us(self) -> float:
        """The part of a step, or of the recording, that happens once in a process."""
        return 0.0

    @property
    def recorded_us(self) -> float | None:
        """How long that step or recording is; None for a mean step."""
        return None

    def sentences(self, *, waits_come_first: bool) -> Sentences:
        """The verdict in words. What waits expose comes first where they are not the first action."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class NoDevice(VerdictFigures):
    exposed_share: float | None = None
    """The part of the step in which hosts wait in collectives; None where that is little."""

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        if self.exposed_share is None:
            return "No GPU work was recorded.", "What waits for a GPU can't be seen in this window."
        return (
            f"The step waits for communication: {share(self.exposed_share)} of it, in collectives of the "
            "hosts.",
            "No GPU work was recorded. `tbprof job` on the run of all ranks names the late one.",
        )


@dataclass(frozen=True, slots=True)
class LostKernels(VerdictFigures):
    launches: int
    without: int
    """Launches whose work is not in the recording."""
    part: str = ""
    """`start` or `end` where all else of the recording is whole."""

    @property
    def scope(self) -> str:
        if self.launches == self.without:
            return "The recording lacks the GPU's work: the profiler lost all of it."
        return "The recording lacks much of the GPU's work: what is shown of it is of what is there."

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        launches = count(self.launches, "launch", "launches")
        return (
            f"The recording lacks the GPU's work of {self.without:,} of {launches}: it can't be judged.",
            self._remedy,
        )

    @property
    def _remedy(self) -> str:
        if self.launches == self.without:
            return (
                "The profiler recorded no row of the GPU: another one holds it, the driver is newer than this"
                " torch's CUPTI, or the machine is WSL. `tbprof doctor` tries it."
            )
        if self.part == "end":
            return (
                "All up to some launch is there, nothing after it: wait for each device that works, with"
                " `torch.cuda.synchronize(device)`, before the profiler stops."
            )
        if self.part == "start":
            return "The profiler began to record the GPU late: record more steps, and mark them."
        return "The profiler lost the GPU's rows: record again, with fewer steps or without another profiler."


@dataclass(frozen=True, slots=True)
class Capture(VerdictFigures):
    launches: int
    without: int
    """Launches that ran nothing."""

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        launches = count(self.launches, "launch", "launches")
        return (
            f"The host records a CUDA graph in this window: {self.without:,} of {launches} ran nothing.",
            "Nothing is to be changed here: a graph is captured once. Record steps that replay it.",
        )


@dataclass(frozen=True, slots=True)
class CutOff(VerdictFigures):
    gpu_rows: int | None = None
    """Rows of the device that are left; None where there are none."""

    @property
    def scope(self) -> str:
        if self.gpu_rows is None:
            return "The file is cut off: no GPU work is in what is left of it."
        return "The file is cut off: what is shown is of what is left of it."

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        left = (
            "no GPU work is in what is left of it"
            if self.gpu_rows is None
            else "much of the GPU's work may be missing: it can't be judged"
        )
        return (
            f"The file is cut off, and {left}.",
            "Copy the file again if it was copied while it was written; else record the window again.",
        )


@dataclass(frozen=True, slots=True)
class OnlyAllocations(VerdictFigures):
    events: int
    devices: str

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        events = count(self.events, "event")
        return (
            f"The recording holds allocations only: {events} of {self.devices}.",
            "The page Memory and `tbprof table memory FILE` show them; what ran is not in it.",
        )


@dataclass(frozen=True, slots=True)
class OtherDevice(VerdictFigures):
    device: str
    rows: int

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        return (
            f"The work ran on an accelerator that tbprof does not analyze: {self.device}.",
            f"Its {count(self.rows, 'row')} are in the recording; host operators can still be read.",
        )


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
    def once_us(self) -> float:
        return (self.before_us or 0.0) + self.cause.cause_us / max(self.window.steps, 1)

    @property
    def recorded_us(self) -> float | None:
        return self.recording_us

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        idle = self.cause.idle_because(self.window, "while kernels and library handles are loaded")
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
        return (
            f"The GPU's work is within {window} of a recording of {recording}.",
            f"{rest}. Within the {window} the GPU is idle {share(self.window.idle_share)}.",
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

    def sentences(self, *, waits_come_first: bool) -> Sentences:
        idle = self.cause.idle_because(
            self.window, _because(_CASE_OF_CAUSE.get(self.cause.cause, self.cause.cause))
        )
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

    def because(self, case: str) -> Sentences:
        """The verdict of this case."""
        window = self.window
        first = f"{self.cause.idle_because(window, _because(case))}{window.communication_too()}."
        if case == "queued":
            other_rank = "another rank, " if window.ranks != 1 else ""
            return (
                first,
                f"{self._place()}The GPU may wait for another process, {other_rank}or work that was not "
                "recorded.",
            )
        beside = "" if window.communication_too() else window.communication_beside()
        return first, f"{self._place()}{window.waits_beside()}{beside}"

    def _place(self) -> str:
        if self.where is None:
            return ""
        spent, place = duration(self.window.of_step(self.where.place_us)), place_words(self.where.place)
        if not place:
            return f"{spent} of that idle time is outside every labeled range and function. "
        return f"{spent} of that idle time is in {place}. "


_RECORDS: Mapping[str, type[VerdictFigures]] = {
    "no_device": NoDevice,
    "lost_kernels": LostKernels,
    "capture": Capture,
    "cut_off": CutOff,
    "only_allocations": OnlyAllocations,
    "other_device": OtherDevice,
    "cold_start": ColdStart,
    "leading_wait": LeadingWait,
    "outside_window": OutsideWindow,
    "communication": Communication,
    "copying": Copying,
    "uneven": Uneven,
    "busy": Busy,
    "waits": Waits,
    "drained": Drained,
}
"""The record of each case; those that are a cause of idle have `Bound`."""


def verdict_figures(case: str, stored: StoredNumbers) -> Figures:
    """The figures of a stored verdict."""
    return read_figures(_RECORDS.get(case, Bound), stored)


def verdict_sentences(verdict: Verdict, *, waits_come_first: bool = True) -> Sentences:
    """The verdict, and a second sentence; of another version, that its figures are that, and nothing more."""
    figures = verdict.figures.in_words(name_words)
    if isinstance(figures, Bound):
        return figures.because(verdict.case)
    if isinstance(figures, VerdictFigures):
        return figures.sentences(waits_come_first=waits_come_first)
    return OF_OTHER_VERSION, ""


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
