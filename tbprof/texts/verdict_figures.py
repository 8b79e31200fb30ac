"""What the sentences about a window have in common: its figures as shares and times of one step."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.texts.figures.places import place_words
from tbprof.texts.figures.quantities import duration, share

_WORTH_A_WORD = 0.1
"""The part of a step from which exposed communication is said beside another case."""

_WORTH_THE_FIRST_SENTENCE = 0.2
_WORTH_SAYING = 0.02

BECAUSE = {
    "input": "because the next batch is not ready",
    "launch_bound": "because the host launches kernels more slowly than the GPU runs them",
    "host_bound": "because the host does other work between launches",
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


class VerdictFigures:
    """The figures of one window; where it marks no steps, it stands as one."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        steps = int(numbers["steps"])
        self.steps = steps if int(numbers["marked"]) else 1
        self._all_steps = int(numbers["all_steps"]) if int(numbers["marked"]) else 1
        self.scope = "the window" if not int(numbers["marked"]) else "a step" if steps > 1 else "the step"
        self.total_us = float(numbers["steps_us"])
        devices = int(numbers["devices"])
        self.gpu = "The GPU" if devices == 1 else f"The busiest of {devices} GPUs"

    def of_step(self, name: str) -> float:
        """Figures of the whole window, cold steps included, per step."""
        return float(self.numbers[name]) / self._all_steps

    @property
    def step_us(self) -> float:
        return self.total_us / self.steps

    def idle(self) -> str:
        return f"{self.gpu} is idle {share(float(self.numbers['idle_share']))} of {self.scope}"

    def idle_because(self, because: str) -> str:
        """All idle, and the part of it that has the cause where that is another figure."""
        part = share(float(self.numbers["cause_us"]) / self.total_us)
        whole = share(float(self.numbers["idle_share"]))
        return f"{self.idle()} {because}" if part == whole else f"{self.idle()}, {part} {because}"

    def place(self) -> str:
        """Where most of the cause's idle is."""
        if "place" not in self.numbers:
            return ""
        spent, place = duration(self.of_step("place_us")), place_words(str(self.numbers["place"]))
        if not place:
            return f"{spent} of that idle time is outside every labeled range and function. "
        return f"{spent} of that idle time is in {place}. "

    def waiting(self) -> str:
        """The part of communication that is no transfer for sure; "" where hardly any is."""
        part = float(self.numbers.get("waiting_share", 0.0))
        return (
            f"at least {share(part)} of {self.scope} waiting for other ranks" if part >= _WORTH_SAYING else ""
        )

    def communication_too(self) -> str:
        """Exposed communication that belongs into the first sentence of another case; "" where it is less."""
        part = float(self.numbers["communication_share"])
        if part < _WORTH_THE_FIRST_SENTENCE:
            return ""
        waiting = self.waiting()
        said = f"; another {share(part)} is communication that no computing covers"
        return f"{said}, {waiting}" if waiting else said

    def communication_beside(self) -> str:
        """Exposed communication that another case stands before."""
        part = float(self.numbers["communication_share"])
        if part < _WORTH_A_WORD:
            return ""
        waiting = self.waiting()
        said = f" Another {share(part)} of {self.scope} is communication that no computing covers"
        return f"{said}, {waiting}." if waiting else f"{said}."
