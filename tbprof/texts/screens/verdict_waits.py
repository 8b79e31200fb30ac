"""The sentences about waits: what they cost, what goes with them, and what they expose."""

from __future__ import annotations

from tbprof.texts.figures.quantities import count, duration
from tbprof.texts.screens.verdict_figures import BECAUSE, VerdictFigures

_WORTH_SHARE = 0.01
"""A saving below this part of a step would not show."""

_CASE_OF_CAUSE = {"data": "input", "launch": "host_bound"}


class WaitSentences(VerdictFigures):
    """Of a window in which the host waits for the device, or in which waits are said beside another case."""

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
