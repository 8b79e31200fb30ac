"""Sentences about where the time of a whole run goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tbprof.model.run_time import Pause
from tbprof.records import dataclass
from tbprof.texts.figures.quantities import count, duration, share

PART_NAMES: Mapping[str, str] = {
    "steps": "Steps",
    "idle": "Steps, GPU idle",
    "slow": "Slow steps, beyond the usual",
    "checkpoint": "Checkpoints",
    "evaluation": "Evaluation",
    "data": "Waiting for data",
    "compile": "Compiling",
    "start": "Start, until the first usual step",
    "restart": "Restarts, and steps done again",
    "recording": "The hook's own work",
    "phase": "Other phases",
    "outside": "Between and after trainings",
}
"""Each part, in the order in which they are shown."""

_IN_SENTENCE: Mapping[str, str] = {
    "slow": "slow steps",
    "checkpoint": "checkpoints",
    "evaluation": "evaluation",
    "data": "waiting for data",
    "compile": "compiling",
    "start": "the start",
    "restart": "restarts",
    "phase": "other phases",
    "outside": "what is outside the training",
}

LOSSES = tuple(_IN_SENTENCE)
"""The parts that a change can win back."""

_WORTH_SHARE = 0.02
"""What takes less of a run needs no advice."""

_NAMED = 3


@dataclass(frozen=True, slots=True)
class RunShares:
    """A run as its sentences need it. Shares are of the wall time."""

    wall_us: float
    parts: Mapping[str, float]
    """Without those that are 0."""
    counts: Mapping[str, int]
    """How often, in one process."""

    @property
    def steps(self) -> float:
        """All steps at their usual length."""
        return self.parts.get("steps", 0.0) + self.parts.get("idle", 0.0)

    @property
    def lost(self) -> dict[str, float]:
        """What is no step and no work of the hook's, the largest first."""
        known = {part: self.parts[part] for part in LOSSES if self.parts.get(part)}
        return dict(sorted(known.items(), key=lambda item: -item[1]))


def run_sentence(run: RunShares) -> str:
    """How much of the run were steps, and what the rest was."""
    rest = [f"{share(part)} {_IN_SENTENCE[name]}" for name, part in list(run.lost.items())[:_NAMED]]
    so_far = f"Of {long_duration(run.wall_us)} since the start, {share(run.steps)} were steps as usual"
    return f"{so_far}; {', '.join(rest)}." if rest else f"{so_far}."


def window_sentence(run: RunShares) -> str:
    """What the windows show, beside what lies outside of usual steps."""
    outside, idle = sum(run.lost.values()), run.parts.get("idle", 0.0)
    larger = "more than" if outside > idle else "less than"
    return (
        f"What is outside of usual steps takes {share(outside)} of the run, {larger} the GPU's idle time "
        f"within them: {share(idle)}."
    )


def unrecorded_sentence(every: float, times: float) -> str:
    """The steps that take far longer than others and are in no window: those with a rollout, above all."""
    return (
        f"One step in about {every:.0f} takes {times:,.0f} times as long as the others, and the newest "
        "window holds none of them: no report names what they wait for."
    )


def run_advice(run: RunShares, pauses: Sequence[Pause]) -> Iterator[str]:
    """What to change, where the part is worth it, the largest first."""
    for part, of_run in run.lost.items():
        advice = _ADVICE.get(part)
        if advice is not None and of_run >= _WORTH_SHARE:
            where = f"{_each(run, part)}{_at(part, pauses)}"
            yield f"{PART_NAMES[part]}, {share(of_run)} of the run{where}: {advice}"


def _each(run: RunShares, part: str) -> str:
    number = run.counts.get(part, 0)
    if not number:
        return ""
    mean_us = run.parts[part] * run.wall_us / number
    return f", {count(number, 'time')}, {long_duration(mean_us)} each" if number > 1 else ", once"


def _at(part: str, pauses: Sequence[Pause]) -> str:
    longest = max((one for one in pauses if one.part == part), key=lambda one: one.ns, default=None)
    return f", longest at {longest.place}" if longest is not None and longest.place else ""


_ADVICE: Mapping[str, str] = {
    "checkpoint": "write checkpoints beside the training, with `torch.distributed.checkpoint.async_save`, or"
    " less often.",
    "evaluation": "evaluate less often, on fewer batches, or in a process of its own from a checkpoint.",
    "data": "keep the loader's workers between epochs with `persistent_workers=True`, and give them time with"
    " a larger `prefetch_factor`.",
    "compile": "keep compiled code between runs with `TORCHINDUCTOR_CACHE_DIR` on a disk that stays, and"
    " compile for sizes that vary with `dynamic=True`.",
    "start": "load less before the first step: prepare the data once, and read weights with `mmap=True`.",
    "restart": "save more often where saving is cheap, and find out why the run ended.",
    "slow": "record one of these steps with `Schedule(slow_steps=SlowSteps())`: its window says why.",
}


_MINUTE_US, _HOUR_US = 60e6, 3600e6


def long_duration(us: float) -> str:
    """A time that may be hours."""
    if us >= _HOUR_US:
        return f"{us / _HOUR_US:.1f} h"
    return f"{us / _MINUTE_US:.1f} min" if us >= 10 * _MINUTE_US else duration(us)


def processes_sentence(ranks: int, restarts: int) -> str:
    """The processes that the figures are of; "" for one that never started again."""
    if ranks == 1 and restarts == 0:
        return ""
    again = f", which started again {count(restarts, 'time')} in all" if restarts else ""
    return f"Means over {count(ranks, 'process', 'processes')}{again}."
