"""The sentence that opens a screen.

Times and shares are of a mean step; of the window where the trace marks no steps. Every figure is one of
the verdict's numbers, and no saving is named that would not show as a difference.
"""

from __future__ import annotations

from tbprof.model import Numbers, Verdict
from tbprof.texts.figures.places import numbers_in_words
from tbprof.texts.figures.quantities import count, duration, share
from tbprof.texts.verdict_figures import BECAUSE, VerdictFigures

_WORTH_SHARE = 0.01
"""A saving below this part of a step would not show."""

_CASE_OF_CAUSE = {"data": "input", "launch": "host_bound"}


class WaitSentences(VerdictFigures):
    """Sentences on a window in which the host waits for the device, or in which waits are said beside another
    case.
    """

    def waits(self) -> tuple[str, str]:
        detail = f"{self._waiting()}; a wait beside a busy GPU costs nothing."
        saved_us = self._planned_us()
        most = duration(self.of_step("ceiling_us"))
        if saved_us < _WORTH_SHARE * self.step_us:
            won = f"its waits hold at most {most} of {duration(self.step_us)}"
            return f"{self.idle()}; {won}.", f"{self._without_any()}{detail}"
        least = duration(self.of_step("floor_us"))
        bounds = f"At least {least}, at most {most} would be saved. "
        detail += self.communication_beside()
        return f"{self.idle()}; {self._shorter(saved_us, 'without the waits that can go')}.", bounds + detail

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
        cause = str(self.numbers["cause"])
        return BECAUSE[_CASE_OF_CAUSE.get(cause, cause)]

    def _without_these(self) -> str:
        planned_us = self._planned_us()
        is_planned = planned_us >= _WORTH_SHARE * self.step_us
        saved_us = planned_us if is_planned else self.of_step("gain_us")
        return self._shorter(saved_us, "without these waits")

    def waits_beside(self) -> str:
        """What the waits have to do with idle that has another cause."""
        if "points" not in self.numbers:
            return "Whether the host waits for the GPU was not recorded."
        if int(self.numbers["points"]) == 0:
            return "Nothing makes the host wait for the GPU."
        if "gain_us" not in self.numbers:
            most, step = duration(self.of_step("ceiling_us")), duration(self.step_us)
            return f"Its waits hold at most {most} of {step}."
        return self._without_any().rstrip()

    def _without_any(self) -> str:
        if "gain_us" not in self.numbers:
            return ""
        gain_us = self.of_step("gain_us")
        planned_us = self._planned_us()
        if planned_us >= _WORTH_SHARE * self.step_us:
            saved = duration(planned_us)
            return f"Without the waits that can go {self.scope} would be about {saved} shorter. "
        if gain_us >= _WORTH_SHARE * self.step_us:
            return f"Its waits cost about {duration(gain_us)}, and hardly any of them can simply go. "
        if int(self.numbers["waits_found"]):
            return f"{self._waiting()}. "
        return f"No sync point is worth removing: without them all {self.scope} would take about as long. "

    def _planned_us(self) -> float:
        """What the fix plan saves; nothing where it has no estimate."""
        return self.of_step("estimate_us") if "estimate_us" in self.numbers else 0.0

    def _shorter(self, saved_us: float, without: str) -> str:
        now, then = duration(self.step_us), duration(self.step_us - saved_us)
        if now == then:
            return f"{without} {self.scope} would be about {duration(saved_us)} shorter"
        return f"{without} {self.scope} takes about {then} instead of {now}"

    def _waiting(self) -> str:
        wait = duration(self.of_step("wait_us"))
        points = count(int(self.numbers["points"]), "sync point")
        where = f" in {self.scope}" if self.steps > 1 else ""
        every = f" ({points} in all)" if self.steps > 1 else f" at {points}"
        return f"The host waits {wait}{where}{every}"


_SMALL_CAUSE_SHARE = 0.05

_WITHOUT_DEVICE = ("no_device", "only_allocations", "cut_off", "lost_kernels", "other_device", "capture")

_LISTED_SHARE = 0.01
"""A part of the device's time below this is not worth a word."""


def verdict_sentences(verdict: Verdict, *, waits_come_first: bool = True) -> tuple[str, str]:
    """The verdict, and a second sentence ("" if there is nothing to add).

    Where waits expose another cause, the sentence begins with what comes first among the actions. A
    verdict of another version, with another case or other numbers, gives two empty ones.
    """
    numbers = numbers_in_words(verdict.numbers)
    try:
        if verdict.case == "drained" and not waits_come_first:
            return _Said(numbers).exposed()
        return _sentences(verdict.case, numbers)
    except (KeyError, ValueError, ZeroDivisionError):
        return "", ""


def scope_sentence(verdict: Verdict | None) -> str:
    """What the figures of a window are of, where much of what was recorded is not in the file; else ""."""
    if verdict is None:
        return ""
    numbers = verdict.numbers
    if verdict.case == "cut_off":
        if "gpu_rows" not in numbers:
            return "The file is cut off: no GPU work is in what is left of it."
        return "The file is cut off: what is shown is of what is left of it."
    if verdict.case == "lost_kernels":
        if numbers.get("launches") == numbers.get("without"):
            return "The recording lacks the GPU's work: the profiler lost all of it."
        return "The recording lacks much of the GPU's work: what is shown of it is of what is there."
    return ""


def _sentences(case: str, numbers: Numbers) -> tuple[str, str]:
    if case in _WITHOUT_DEVICE:
        return _without_device(case, numbers)
    said = _Said(numbers)
    whole = {
        "cold_start": said.cold_start,
        "leading_wait": said.leading_wait,
        "outside_window": said.outside_window,
        "communication": said.communication,
        "copying": said.copying,
        "waits": said.waits,
        "drained": said.drained,
    }
    if case in whole:
        return whole[case]()
    if case == "uneven":
        return said.uneven(), said.communication_beside().strip()
    if case == "busy":
        detail = f"{said.small_cause()}{said.waits_beside()}"
        return said.busy(), f"{detail}{said.kernels()}".strip()
    first = f"{said.idle_because(BECAUSE[case])}{said.communication_too()}."
    if case == "queued":
        other_rank = "another rank, " if int(numbers["ranks"]) != 1 else ""
        return (
            first,
            f"{said.place()}The GPU may wait for another process, {other_rank}or work that was not recorded.",
        )
    beside = "" if said.communication_too() else said.communication_beside()
    return first, f"{said.place()}{said.waits_beside()}{beside}"


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
            "Nothing is to be changed here: a graph is captured once. Record steps that replay it.",
        )
    if case == "cut_off":
        left = (
            "much of the GPU's work may be missing: it can't be judged"
            if "gpu_rows" in numbers
            else "no GPU work is in what is left of it"
        )
        return (
            f"The file is cut off, and {left}.",
            "Copy the file again if it was copied while it was written; else record the window again.",
        )
    if case == "only_allocations":
        return (
            f"The recording holds allocations only: {count(int(numbers['events']), 'event')} of "
            f"{numbers['devices']}.",
            "The page Memory and `tbprof table memory FILE` show them; what ran is not in it.",
        )
    if case == "other_device":
        rows = count(int(numbers["rows"]), "row")
        return (
            f"The work ran on an accelerator that tbprof does not analyze: {numbers['device']}.",
            f"Its {rows} are in the recording; host operators can still be read.",
        )
    if "exposed_share" in numbers:
        waiting = share(float(numbers["exposed_share"]))
        return (
            f"The step waits for communication: {waiting} of it, in collectives of the hosts.",
            "No GPU work was recorded. `tbprof job` on the run of all ranks names the late one.",
        )
    return "No GPU work was recorded.", "What waits for a GPU can't be seen in this window."


class _Said(WaitSentences):
    """The parts of the sentences about one window, in figures of its step."""

    def cold_start(self) -> tuple[str, str]:
        idle = self.idle_because("while kernels and library handles are loaded")
        if "before_us" in self.numbers:
            before, whole = (duration(float(self.numbers[name])) for name in ("before_us", "recording_us"))
            idle = f"first calls take {before} of its {whole} before the GPU has anything to do"
        return (
            f"The recording began before the program was warm: {idle[0].lower()}{idle[1:]}.",
            f"{self._first_calls()} That happens once in a process: a longer skip_first leaves it out.",
        )

    def _first_calls(self) -> str:
        calls = int(self.numbers["calls"])
        spent, longest = (duration(float(self.numbers[name])) for name in ("calls_us", "longest_us"))
        op = str(self.numbers["longest_op"])
        call = f"{self.numbers['longest_call']} in {op}" if op else str(self.numbers["longest_call"])
        if calls == 1:
            return f"A first call, {call}, took {spent}."
        return f"{count(calls, 'first call')} took {spent}, of which {call} took {longest}."

    def leading_wait(self) -> tuple[str, str]:
        leading, rest = duration(float(self.numbers["leading_us"])), duration(float(self.numbers["rest_us"]))
        busy = share(float(self.numbers["rest_busy_share"]))
        return (
            f"The recording begins with a wait of {leading} for work from before it; in the {rest} after "
            f"that the GPU is busy {busy}.",
            f"What that wait is for is not in the window.{self.kernels()}",
        )

    def outside_window(self) -> tuple[str, str]:
        """Where the device's work is, and what the host does in the rest of the recording."""
        window, recording = duration(self.total_us), duration(float(self.numbers["recording_us"]))
        sides_us = {side: float(self.numbers[f"{side}_window_us"]) for side in ("before", "after")}
        outside_us = float(self.numbers["outside_us"])
        sides = " and ".join(side for side, us in sides_us.items() if us >= _LISTED_SHARE * outside_us)
        outside = f"{duration(outside_us)} {sides} that"
        spent = [
            f"{name} {duration(us)}" for name, us in self._spent_outside() if us >= _LISTED_SHARE * outside_us
        ]
        rest = (
            f"Of the {outside}, {' and '.join(spent)}"
            if spent
            else f"The {outside} are in none of the figures"
        )
        idle = share(float(self.numbers["idle_share"]))
        return (
            f"The GPU's work is within {window} of a recording of {recording}.",
            f"{rest}. Within the {window} the GPU is idle {idle}.",
        )

    def _spent_outside(self) -> list[tuple[str, float]]:
        return [
            ("the data loader takes", float(self.numbers["data_us"])),
            ("first calls of CUDA or HIP take", float(self.numbers["loading_us"])),
        ]

    def kernels(self) -> str:
        """Where the device's time goes; "" where nobody looked."""
        if "kernel" not in self.numbers:
            return ""
        parts = [
            f"`{self.numbers[key]}` {share(float(self.numbers[f'{key}_share']))}"
            for key in ("kernel", "next_kernel")
            if key in self.numbers
        ]
        return f" Its largest kernels: {', '.join(parts)} of its time."

    def communication(self) -> tuple[str, str]:
        part = share(float(self.numbers["communication_share"]))
        computing, idle = (share(float(self.numbers[f"{name}_share"])) for name in ("computing", "idle"))
        first = f"{self.gpu} spends {part} of {self.scope} in communication that no computing covers"
        waiting = self.waiting()
        return (
            f"{first}, {waiting}." if waiting else f"{first}.",
            f"It computes {computing} and is idle {idle}. Compare the ranks of this run first: if one "
            "of them is late, the others wait for it, and its cause is the thing to change.",
        )

    def copying(self) -> tuple[str, str]:
        part, computing = (share(float(self.numbers[f"{what}_share"])) for what in ("copying", "computing"))
        return (
            f"{self.gpu} spends {part} of {self.scope} copying, with nothing computed beside it.",
            f"It computes {computing}. Copies of pinned memory on a stream of their own run beside kernels.",
        )

    def busy(self) -> str:
        parts = {
            "computing": "computing_share",
            "communication that no computing covers": "communication_share",
            "copying": "copying_share",
        }
        known = [(float(self.numbers[key]), name) for name, key in parts.items()]
        listed = [f"{share(part)} {name}" for part, name in known if part >= _LISTED_SHARE]
        busy = 1.0 - float(self.numbers["idle_share"])
        said = f"{self.gpu} is busy {share(busy)} of {self.scope}"
        if len(listed) == 1:
            return f"{said}, {listed[0].partition('% ')[2] or 'computing'}."
        return f"{said}: {', '.join(listed)}." if listed else f"{said}."

    def uneven(self) -> str:
        """A sentence on the steps that are idle where most are not."""
        idle, steps = int(self.numbers["uneven_steps"]), int(self.numbers["steps"])
        spent = duration(float(self.numbers["uneven_idle_us"]))
        others = share(1.0 - float(self.numbers["typical_idle_share"]))
        because = BECAUSE[str(self.numbers["because"])]
        verb = "is" if idle == 1 else "are"
        return (
            f"{idle} of {steps} steps {verb} idle for {spent} in all, mostly {because}; "
            f"in a typical step the GPU is busy {others}."
        )

    def small_cause(self) -> str:
        """Why a busy device is idle at times, where one cause holds enough of it."""
        part = float(self.numbers["cause_us"]) / self.total_us
        if part < _SMALL_CAUSE_SHARE:
            return ""
        because = BECAUSE[str(self.numbers["because"])]
        return f"It is idle {share(part)} of {self.scope} {because}. "
