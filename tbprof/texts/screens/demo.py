"""What `tbprof demo` says of its two runs."""

from __future__ import annotations

from tbprof.texts.figures.quantities import count, duration, share

OWN_PROGRAM = (
    "Your own program: `tbprof preflight train.py` predicts its lines without a GPU, "
    "`tbprof run train.py` records what they cost on one."
)

SAME_LOSS = " The loss is the same."


def predicted_run(lines: int, per_step: int) -> str:
    """A run without a GPU: how many lines would make the host wait, and how often in a step."""
    if lines == 0:
        return "no line would make the host wait for a GPU."
    return f"{count(lines, 'line')} would make the host wait for a GPU, {count(per_step, 'time')} a step."


def recorded_run(step_us: float, idle_share: float, before_us: float | None) -> str:
    """A run on a GPU; `before_us` is the step of the run before it, None of the first."""
    sentence = f"a step takes {duration(step_us)}, and the GPU is idle {share(idle_share)} of it"
    if before_us is None:
        return f"{sentence}."
    return f"{sentence}: {before_us / step_us:.2f} times as fast."
