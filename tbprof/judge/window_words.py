"""Figures of the device's time in a window, of the largest cause of its idle and of its kernels, in words."""

from __future__ import annotations

from tbprof.model import Figures
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import count, duration, share

WORTH_SHARE = 0.01
"""A saving below this part of a step would not show."""

_LINES_SHARE = 0.05
"""What lines with waits hold up besides: from this part of a step on they are not called innocent."""

_LOOPS_SHARE = 0.2
"""The part of the waits from which on it is said that they are in loops over items."""

_COMMUNICATION_SHARE = 0.1
"""Exposed communication from this part of a step on is said beside another case."""

_MUCH_COMMUNICATION_SHARE = 0.2
"""The part of a step from which it is said in the first sentence."""

_WAITING_SHARE = 0.02
"""Waiting for other ranks below this part of a step is not said."""

LEAST_US = 0.001
"""A ns: what a file says may have no length at all."""


@dataclass(frozen=True, slots=True)
class Window(Figures):
    """The device's time in the steps that count, and the waits of all of them."""

    steps: int
    """The steps that are not cold; all where fewer than two are not."""
    all_steps: int
    devices: int
    """The devices that did work."""
    marked: bool
    """Whether the trace marks steps."""
    steps_us: float
    """The length of `steps` together."""
    ranks: int
    """The size of the world; 0 where it is not known."""
    idle_share: float
    """Shares are of the busiest device, in `steps`."""
    empty_share: float
    computing_share: float
    communication_share: float
    """Communication that no computing covers."""
    waiting_share: float
    """The part of it that is waiting for other ranks for sure."""
    copying_share: float
    wait_us: float
    floor_us: float
    ceiling_us: float
    waits_found: int
    """Findings about waits and copies of at least medium."""
    points: int | None = None
    """Sync points; None where calls of the host were not recorded."""
    estimate_us: float | None = None
    """What the fix plan saves, by the replay."""
    gain_us: float | None = None
    """What a replay without any of the waits saves."""
    no_transfer_share: float | None = None
    """The part of the exposed communication that is no transfer for sure, waiting or not."""
    around_us: float | None = None
    """The whole recording, where the window is less than half of it."""
    loops_points: int | None = None
    """Sync points in loops over items that are found to cost time."""
    loops_wait_us: float | None = None
    """What of `wait_us` is in them."""
    loops_go: bool | None = None
    """Whether no turn of them seems to need the one before it."""

    @property
    def shown_steps(self) -> int:
        """The steps that figures are means of: the window stands as one where it marks none."""
        return max(self.steps, 1) if self.marked else 1

    @property
    def name(self) -> str:
        """A step, or the window."""
        return "the window" if not self.marked else "a step" if self.steps > 1 else "the step"

    @property
    def gpu(self) -> str:
        """The GPU, or which of several."""
        return "The GPU" if self.devices == 1 else f"The busiest of {self.devices} GPUs"

    @property
    def step_us(self) -> float:
        """The length of a mean step."""
        return self.steps_us / self.shown_steps

    @property
    def planned_us(self) -> float:
        """What the fix plan saves of a step; nothing where it has no estimate."""
        return self.of_step(self.estimate_us or 0.0)

    def of_step(self, whole_us: float) -> float:
        """A figure of the whole window, cold steps included, per step."""
        return whole_us / (max(self.all_steps, 1) if self.marked else 1)

    def idle(self) -> str:
        return f"{self.gpu} is idle {share(self.idle_share)} of {self.name}"

    def of_recording(self) -> str:
        """The length of the recording, where much of it is not in the window; else ""."""
        if self.around_us is None:
            return ""
        within, whole = duration(self.steps_us), duration(self.around_us)
        return f"The GPU's work is within {within} of a recording of {whole}."

    def waiting_for_ranks(self) -> str:
        """The part of communication that is no transfer for sure; "" where hardly any is."""
        no_transfer = self.no_transfer_share or 0.0
        if no_transfer - self.waiting_share >= _WAITING_SHARE:
            return f"at least {share(no_transfer)} of {self.name} more than such messages take"
        if self.waiting_share < _WAITING_SHARE:
            return ""
        return f"at least {share(self.waiting_share)} of {self.name} waiting for other ranks"

    def communication_too(self) -> str:
        """Exposed communication that belongs into the first sentence of another case; "" where it is less."""
        if self.communication_share < _MUCH_COMMUNICATION_SHARE:
            return ""
        return f"; another {share(self.communication_share)} is communication that no computing covers"

    def communication_of(self) -> str:
        """The part of that which is no transfer."""
        waiting = self.waiting_for_ranks()
        return f" Communication: {waiting}." if waiting else ""

    def communication_beside(self) -> str:
        """Exposed communication that another case stands before."""
        if self.communication_share < _COMMUNICATION_SHARE:
            return ""
        waiting, part = self.waiting_for_ranks(), share(self.communication_share)
        said = f" Another {part} of {self.name} is communication that no computing covers"
        return f"{said}, {waiting}." if waiting else f"{said}."

    def waits_beside(self) -> str:
        """What the waits have to do with idle that has another cause."""
        if self.points is None:
            return "Whether the host waits for the GPU was not recorded."
        if self.points == 0:
            return "Nothing makes the host wait for the GPU."
        if self.gain_us is None:
            most = duration(self.of_step(self.ceiling_us))
            return f"Its waits hold at most {most} of {duration(self.step_us)}."
        return self.without_waits().rstrip()

    def without_waits(self) -> str:
        """What goes with the waits, and a space; "" where no replay says that."""
        if self.gain_us is None:
            return ""
        gain_us = self.of_step(self.gain_us)
        if self.planned_us >= WORTH_SHARE * self.step_us:
            saved = duration(self.planned_us)
            return f"Without the waits that can go {self.name} would be about {saved} shorter. "
        if (self.loops_points or 0) >= _LOOPS_SHARE * (self.points or 0) > 0:
            spent, go = duration(self.loops_wait_us or 0.0), " and go with it" if self.loops_go else ""
            inside = f"{self.loops_points:,} of the window's {self.points:,} sync points"
            return f"{inside} are in a loop over items{go}, {spent} of waits. "
        if gain_us >= WORTH_SHARE * self.step_us:
            return f"Its waits cost about {duration(gain_us)}, and hardly any of them can simply go. "
        if self.waits_found:
            return f"{self.host_waits()}. "
        most_us = self.of_step(self.ceiling_us)
        if most_us >= _LINES_SHARE * self.step_us:
            lines = f"without their lines {self.name} would be at most {duration(most_us)} shorter"
            return f"Its waits cost hardly anything; {lines}. "
        return f"No sync point is worth removing: without them all {self.name} would take about as long. "

    @property
    def _each(self) -> str:
        return f" in {self.name}" if self.shown_steps > 1 else ""

    def shorter(self, saved_us: float, without: str) -> str:
        """How long a step takes then, where that shows."""
        now, then = duration(self.step_us), duration(self.step_us - saved_us)
        if now == then:
            return f"{without} {self.name} would be about {duration(saved_us)} shorter"
        return f"{without} {self.name} takes about {then} instead of {now}"

    def host_waits(self) -> str:
        points = count(self.points or 0, "sync point")
        every = f" ({points} in all)" if self.shown_steps > 1 else f" at {points}"
        return f"The host waits {duration(self.of_step(self.wait_us))}{self._each}{every}"


@dataclass(frozen=True, slots=True)
class Cause(Figures):
    """The largest cause of idle, sync points apart."""

    cause: str
    cause_us: float

    def idle_because(self, window: Window, because: str) -> str:
        """All idle, and the part of it that has the cause where that is another figure."""
        part, whole = share(self.cause_us / max(window.steps_us, LEAST_US)), share(window.idle_share)
        return f"{window.idle()} {because}" if part == whole else f"{window.idle()}, {part} {because}"


@dataclass(frozen=True, slots=True)
class LargestKernels(Figures):
    """The kernels with most time, each with its share of all kernels."""

    kernel: str | None = None
    kernel_share: float | None = None
    next_kernel: str | None = None
    next_kernel_share: float | None = None
    graphed_in: str | None = None
    """The scope or line that most of the device's time comes from, which a CUDA graph replays."""

    def words(self) -> str:
        """A sentence after others; "" where nobody looked."""
        named = ((self.kernel, self.kernel_share), (self.next_kernel, self.next_kernel_share))
        parts = [f"`{name}` {share(part)}" for name, part in named if name is not None and part is not None]
        largest = f" Its largest kernels: {', '.join(parts)} of its time." if parts else ""
        if not self.graphed_in:
            return largest
        return f"{largest} Most of that is replayed by a CUDA graph, from {self.graphed_in}."
