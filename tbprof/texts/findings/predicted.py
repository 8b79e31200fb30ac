"""What is said of lines that would wait for a GPU, where there was none."""

from __future__ import annotations

from tbprof.texts.figures.quantities import count, duration, share

__all__ = ["kind_name", "loading_sentences", "predicted_sentences"]

_KINDS = {
    "scalar_read": "reads one number back",
    "control_flow": "Python decides on a tensor's value",
    "dynamic_shape": "the result's shape depends on data",
    "host_read": "copies a whole tensor to the host",
    "upload": "uploads data, and waits until it is copied",
    "synchronise": "waits for all work of the device",
    "race": "reads what a copy may not have brought yet",
    "device_mismatch": "would raise an error on a GPU",
}
"""By the kinds of `tbprof.model.PredictedKind` and of preflight."""


def kind_name(kind: str) -> str:
    """What a line does, in a few words; a kind of another version is called by its own name."""
    return _KINDS.get(kind, kind.replace("_", " "))


def predicted_sentences(lines: int) -> tuple[str, str]:
    """The sentence that opens the screen of a run without a GPU, and what to make of it."""
    if lines == 0:
        return (
            "Recorded without a GPU: no line that was seen would make the host wait for one.",
            "No device work is in this trace; only a GPU can show what the lines cost.",
        )
    return (
        f"Recorded without a GPU: {count(lines, 'line')} would make the host wait for one.",
        "No device work is in this trace, so there is no idle time and nothing to save yet. The lines are "
        "found by what they call; only a GPU can show how much they cost.",
    )


def loading_sentences(lines: int, *, loading_us: float, step_us: float, has_workers: bool) -> tuple[str, str]:
    """The same where most of what is known of a step is that it loads data."""
    part = f"{share(loading_us / step_us)} of a step, {duration(loading_us)} of {duration(step_us)}"
    workers = "more or faster worker processes" if has_workers else "worker processes (num_workers)"
    waits = f" {count(lines, 'line')} would make the host wait for the GPU, too." if lines else ""
    return (
        f"Recorded without a GPU: loading data takes {part}.",
        f"A faster device waits for its batches as long: prepare them in {workers}.{waits}",
    )
