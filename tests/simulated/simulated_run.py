"""What happened when a program ran."""

from __future__ import annotations

from dataclasses import dataclass, field

from program import Action
from simulated_gpu import Task


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Done:
    """An action that a thread has done, with its calls and what it gave to a device."""

    action: Action
    start_ns: int
    end_ns: int
    calls: tuple[Call, ...]
    tasks: tuple[Task, ...]


@dataclass(slots=True)
class Run:
    """All that happened: the steps, the actions, and how long the window took."""

    steps: list[tuple[int, int]] = field(default_factory=list)
    """Start and end on the host, those before the window too."""
    training: list[Done] = field(default_factory=list)
    side: list[Done] = field(default_factory=list)
    own_sync: tuple[int, int] = (0, 0)
    """The device synchronize by which the profiler ends the window."""
    steps_before: int = 0

    @property
    def start_ns(self) -> int:
        return self.steps[self.steps_before][0]

    @property
    def window_ns(self) -> int:
        """To the end of the last step and of all work that the training launched in the window."""
        ends = [
            done.tasks[-1].end_ns for done in self.training if done.tasks and done.start_ns >= self.start_ns
        ]
        return max(self.steps[-1][1], *ends, 0) - self.start_ns
