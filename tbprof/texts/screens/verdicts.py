"""The sentence that opens a screen.

Times and shares are of a mean step; of the window where the trace marks no steps. Every figure is one of
the verdict's numbers, and no saving is named that would not show as a difference.
"""

from __future__ import annotations

from tbprof.model import Numbers, Verdict
from tbprof.texts.figures.quantities import count, duration, share

__all__ = ["verdict_sentences"]

_WORTH_SHARE = 0.01
"""A saving below this part of a step would not show."""

_WORTH_A_WORD = 0.1
"""From this part of a step on exposed communication is said beside another case."""

_SMALL_CAUSE_SHARE = 0.05

_LISTED_SHARE = 0.01
"""A part of the device's time below this is not worth a word."""

_BECAUSE = {
    "input": "because the next batch is not ready",
    "launch_bound": "because the host launches kernels more slowly than the GPU runs them",
    "host_bound": "because the host is late with other work",
    "staging": "because the host copies pageable memory before it can be transferred",
    "allocator": "because the host allocates and frees GPU memory",
    "collective": "because the host waits in a collective (gloo, MPI or a barrier)",
    "another_device": "while the host waits for another GPU of this process",
    "compile": "because torch.compile is at work",
    "profiler": "because the profiler is at work",
    "unrecorded": "while the host waits for work that is not in the recording",
    "queued": "although work is queued",
    "unknown": "and the recording does not show what the host did meanwhile",
}
_CASE_OF_CAUSE = {"data": "input", "launch": "host_bound"}


def verdict_sentences(verdict: Verdict, *, waits_come_first: bool = True) -> tuple[str, str]:
    """The verdict, and a second sentence ("" if there is nothing to add).

    Where waits expose another cause, the sentence begins with what comes first among the actions. A
    verdict of another version, with another case or other numbers, gives two empty ones.
    """
    try:
        if verdict.case == "drained" and not waits_come_first:
            return _Said(verdict.numbers).exposed()
        return _sentences(verdict.case, verdict.numbers)
    except (KeyError, ValueError, ZeroDivisionError):
        return "", ""


def _sentences(case: str, numbers: Numbers) -> tuple[str, str]:
    if case in ("no_device", "lost_kernels", "other_device", "capture"):
        return _without_device(case, numbers)
    said = _Said(numbers)
    if case == "cold_start":
        return said.cold_start()
    if case == "communication":
        return said.communication()
    if case == "copying":
        return said.copying()
    if case == "uneven":
        return said.uneven(), said.communication_beside().strip()
    if case == "busy":
        detail = f"{said.small_cause()}{said.waits_beside()}"
        return said.busy(), f"{detail} How fast its kernels could be is not checked."
    if case == "waits":
        return said.waits()
    if case == "drained":
        return said.drained()
    first = f"{said.idle_because(_BECAUSE[case])}."
    if case == "queued":
        other_rank = "another rank, " if int(numbers["ranks"]) != 1 else ""
        return first, f"It may wait for another process, {other_rank}or work that was not recorded."
    return first, f"{said.place()}{said.waits_beside()}{said.communication_beside()}"


def _without_device(case: str, numbers: Numbers) -> tuple[str, str]:
    if case == "lost_kernels":
        without, launches = int(numbers["without"]), count(int(numbers["launches"]), "launch", "launches")
        return (
            f"The recording lacks the GPU's work of {without:,} of {launches}: it can't be judged.",
            "The profiler lost the GPU's rows: record again, with fewer steps or without another profiler.",
        )
    if case == "capture":
        without, launches = int(numbers["without"]), count(int(numbers["launches"]), "launch", "launches")
        return (
            f"The host records a CUDA graph in this window: {without:,} of {launches} ran nothing.",
            "It happens once: record steps that replay the graph.",
        )
    if case == "other_device":
        rows = count(int(numbers["rows"]), "row")
        return (
            f"The work ran on an accelerator that tbprof does not analyze: {numbers['device']}.",
            f"Its {rows} are in the recording; host operators can still be read.",
        )
    return "No GPU work was recorded.", "What waits for a GPU can't be seen in this window."


class _Said:
    """The parts of the sentences about one window, in figures of its step."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        steps = int(numbers["steps"])
        self._steps = steps if int(numbers["marked"]) else 1
        self._all_steps = int(numbers["all_steps"]) if int(numbers["marked"]) else 1
        self.scope = "the window" if not int(numbers["marked"]) else "a step" if steps > 1 else "the step"
        self.total_us = float(numbers["steps_us"])

    def _of_step(self, name: str) -> float:
        """Of figures of the whole window, cold steps included."""
        return float(self._numbers[name]) / self._all_steps

    @property
    def _step_us(self) -> float:
        return self.total_us / self._steps

    def _idle(self) -> str:
        return f"The GPU is idle {share(float(self._numbers['idle_share']))} of {self.scope}"

    def idle_because(self, because: str) -> str:
        """All idle, and the part of it that has the cause where that is another figure."""
        part = share(float(self._numbers["cause_us"]) / self.total_us)
        whole = share(float(self._numbers["idle_share"]))
        return f"{self._idle()} {because}" if part == whole else f"{self._idle()}, {part} {because}"

    def cold_start(self) -> tuple[str, str]:
        idle = self.idle_because("while kernels and library handles are loaded")
        return (
            f"The recording began before the training was warm: {idle[0].lower()}{idle[1:]}.",
            f"{self._first_calls()} That happens once in a process: a longer skip_first leaves it out.",
        )

    def _first_calls(self) -> str:
        calls = int(self._numbers["calls"])
        spent, longest = (duration(float(self._numbers[name])) for name in ("calls_us", "longest_us"))
        op = str(self._numbers["longest_op"])
        call = f"{self._numbers['longest_call']} in {op}" if op else str(self._numbers["longest_call"])
        if calls == 1:
            return f"A first call, {call}, took {spent}."
        return f"{count(calls, 'first call')} took {spent}, of which {call} took {longest}."

    def communication(self) -> tuple[str, str]:
        part = share(float(self._numbers["communication_share"]))
        return (
            f"The GPU spends {part} of {self.scope} in communication that no computing covers.",
            "It may be waiting for another rank: compare the ranks of this run.",
        )

    def copying(self) -> tuple[str, str]:
        part, computing = (share(float(self._numbers[f"{what}_share"])) for what in ("copying", "computing"))
        return (
            f"The GPU spends {part} of {self.scope} copying, with nothing computed beside it.",
            f"It computes {computing}. Copies of pinned memory on a stream of their own run beside kernels.",
        )

    def busy(self) -> str:
        parts = {
            "computing": "computing_share",
            "communication that no computing covers": "communication_share",
            "copying": "copying_share",
        }
        known = [(float(self._numbers[key]), name) for name, key in parts.items()]
        listed = [f"{share(part)} {name}" for part, name in known if part >= _LISTED_SHARE]
        busy = 1.0 - float(self._numbers["idle_share"])
        said = f"The GPU is busy {share(busy)} of {self.scope}"
        if len(listed) == 1:
            return f"{said}, {listed[0].partition('% ')[2] or 'computing'}."
        return f"{said}: {', '.join(listed)}." if listed else f"{said}."

    def uneven(self) -> str:
        """Which steps are idle where most are not."""
        idle, steps = int(self._numbers["uneven_steps"]), int(self._numbers["steps"])
        spent = duration(float(self._numbers["uneven_idle_us"]))
        others = share(1.0 - float(self._numbers["typical_idle_share"]))
        because = _BECAUSE[str(self._numbers["because"])]
        verb = "is" if idle == 1 else "are"
        return (
            f"{idle} of {steps} steps {verb} idle for {spent} in all, mostly {because}; "
            f"in a typical step the GPU is busy {others}."
        )

    def small_cause(self) -> str:
        """Why a busy device is idle at times, where one cause holds enough of it."""
        part = float(self._numbers["cause_us"]) / self.total_us
        if part < _SMALL_CAUSE_SHARE:
            return ""
        because = _BECAUSE[str(self._numbers["because"])]
        return f"It is idle {share(part)} of {self.scope} {because}. "

    def communication_beside(self) -> str:
        """Exposed communication that another case stands before."""
        part = float(self._numbers["communication_share"])
        if part < _WORTH_A_WORD:
            return ""
        return f" Another {share(part)} of {self.scope} is communication that no computing covers."

    def waits(self) -> tuple[str, str]:
        detail = f"{self._waiting()}; a wait beside a busy GPU costs nothing."
        saved_us = self._planned_us()
        most = duration(self._of_step("ceiling_us"))
        if saved_us < _WORTH_SHARE * self._step_us:
            won = f"its waits hold at most {most} of {duration(self._step_us)}"
            return f"{self._idle()}; {won}.", f"{self._without_any()}{detail}"
        least = duration(self._of_step("floor_us"))
        bounds = f"At least {least}, at most {most} would be saved. "
        detail += self.communication_beside()
        return f"{self._idle()}; {self._shorter(saved_us, 'without the waits that can go')}.", bounds + detail

    def drained(self) -> tuple[str, str]:
        return (
            f"Waits let the GPU run dry before the host is ready with more: {self._without_these()}.",
            f"{self.idle_because(self._exposed_cause())}, most of it after such a wait.",
        )

    def exposed(self) -> tuple[str, str]:
        """The same where what the waits expose is the first thing to change."""
        return (
            f"{self.idle_because(self._exposed_cause())}.",
            f"Most of it follows a wait that let the GPU run dry: {self._without_these()}.",
        )

    def _exposed_cause(self) -> str:
        cause = str(self._numbers["cause"])
        return _BECAUSE[_CASE_OF_CAUSE.get(cause, cause)]

    def _without_these(self) -> str:
        planned_us = self._planned_us()
        is_planned = planned_us >= _WORTH_SHARE * self._step_us
        saved_us = planned_us if is_planned else self._of_step("gain_us")
        return self._shorter(saved_us, "without these waits")

    def place(self) -> str:
        """Where most of the cause's idle is."""
        if "place" not in self._numbers:
            return ""
        spent, place = duration(self._of_step("place_us")), str(self._numbers["place"])
        if not place:
            return f"{spent} of that outside every labelled range and function. "
        return f"{spent} of that in {place}. "

    def waits_beside(self) -> str:
        """What the waits have to do with idle that has another cause."""
        if int(self._numbers["points"]) == 0:
            return "Nothing makes the host wait for the GPU."
        if "gain_us" not in self._numbers:
            most, step = duration(self._of_step("ceiling_us")), duration(self._step_us)
            return f"Its waits hold at most {most} of {step}."
        return self._without_any().rstrip()

    def _without_any(self) -> str:
        if "gain_us" not in self._numbers:
            return ""
        gain_us = self._of_step("gain_us")
        planned_us = self._planned_us()
        if planned_us >= _WORTH_SHARE * self._step_us:
            saved = duration(planned_us)
            return f"Without the waits that can go {self.scope} would be about {saved} shorter. "
        if gain_us >= _WORTH_SHARE * self._step_us:
            return f"Its waits cost about {duration(gain_us)}, and hardly any of them can simply go. "
        if int(self._numbers["waits_found"]):
            return f"{self._waiting()}. "
        return f"Sync points are not the cause: without them {self.scope} would take about as long. "

    def _planned_us(self) -> float:
        """What the fix plan saves; nothing where it has no estimate."""
        return self._of_step("estimate_us") if "estimate_us" in self._numbers else 0.0

    def _shorter(self, saved_us: float, without: str) -> str:
        now, then = duration(self._step_us), duration(self._step_us - saved_us)
        if now == then:
            return f"{without} {self.scope} would be about {duration(saved_us)} shorter"
        return f"{without} {self.scope} takes about {then} instead of {now}"

    def _waiting(self) -> str:
        wait = duration(self._of_step("wait_us"))
        points = count(int(self._numbers["points"]), "sync point")
        where = f" in {self.scope}" if self._steps > 1 else ""
        every = f" ({points} in all)" if self._steps > 1 else f" at {points}"
        return f"The host waits {wait}{where}{every}"
