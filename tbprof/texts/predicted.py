"""What is said of lines that would wait for a GPU, where there was none."""

from __future__ import annotations

from tbprof.framework_options import FrameworkOption, option_at
from tbprof.texts.figures.quantities import count, duration, share

_KINDS = {
    "scalar_read": "reads one number back",
    "control_flow": "Python decides on a tensor's value",
    "dynamic_shape": "the result's shape depends on data",
    "host_read": "copies a whole tensor to the host",
    "upload": "uploads data, and waits until it is copied",
    "synchronize": "waits for all work of the device",
    "race": "reads what a copy may not have brought yet",
    "device_mismatch": "would raise an error on a GPU",
}
"""Words by the kinds of `tbprof.model.PredictedKind` and of preflight."""


_OPS = {
    "scalar_read": ("aten::_local_scalar_dense",),
    "control_flow": ("aten::is_nonzero",),
    "host_read": ("aten::_to_copy",),
    "upload": ("aten::_to_copy",),
}
"""The ops that a recording on a GPU would have around the site, by such kinds."""


_ERROR = "ends in an error"


def framework_option(file: str, function: str, kind: str) -> FrameworkOption | None:
    """The option of a framework that takes away a line of its own; None where none is known."""
    return option_at(file, function, _OPS.get(kind, ()), is_upload=kind == "upload")


def framework_fix(file: str, function: str, kind: str) -> str:
    """What it says to do; "" where none is known."""
    option = framework_option(file, function, kind)
    return "" if option is None else option.fix


def kind_name(kind: str) -> str:
    """What a line does, in a few words; a kind of another version is called by its own name."""
    return _KINDS.get(kind, kind.replace("_", " "))


def waits_words(waits: int, of: int) -> str:
    """What a line would make the host wait, of all waits of a step; `waits` is 0 where it would raise."""
    if waits == 0:
        return _ERROR
    if waits == of:
        return f"all {of:,} waits" if of > 1 else "the only wait"
    return f"{waits:,} of {of:,} waits"


def first_line_sentence(action: str, place: str, worth: str) -> str:
    """The line to change first; `worth`, of `waits_words`, has no time before a GPU shows it."""
    order = f"First: {action[0].lower()}{action[1:]} ({place})."
    if worth == _ERROR:
        return f"{order} On a GPU it {worth}."
    return f"{order} On a GPU this would be {worth} of a step: record on a GPU to see what it costs."


def predicted_sentences(
    lines: int, *, step_us: float | None, operators_us: float, python_us: float
) -> tuple[str, str]:
    """The sentence that opens the screen of a run without a GPU, and where its step goes."""
    waits = (
        f"{count(lines, 'line')} would make the host wait for one"
        if lines
        else "no line that was seen would make the host wait for one"
    )
    return f"Recorded without a GPU: {waits}.", _spent(step_us, operators_us, python_us)


def _spent(step_us: float | None, operators_us: float, python_us: float) -> str:
    if not step_us:
        return "No device work is in this trace; only a GPU can show what the lines cost."
    operators, python = duration(operators_us), duration(python_us)
    return (
        f"Of a mean step of {duration(step_us)}, operators of torch take {operators}, which a GPU takes over;"
        f" Python beside them takes {python}, which stays."
    )


def host_sentences(rule: str, lines: int, *, spent_us: float, step_us: float) -> tuple[str, str]:
    """The same where most of what is known of a step is that it loads data, runs Python or drops out.

    Args:
        rule: The one that found it.
        lines: How many lines would make the host wait for a GPU.
        spent_us: How much of a step it is.
        step_us: How long a step takes.
    """
    what = "loading data" if rule.startswith("DAT") else "Python outside of operators"
    part = f"{share(spent_us / step_us)} of a step, {duration(spent_us)} of {duration(step_us)}"
    waits = f" {count(lines, 'line')} would make the host wait for the GPU, too." if lines else ""
    if rule.startswith("INF"):
        return (
            f"Recorded without a GPU: nothing is trained, and training mode takes up to {part}.",
            f"With a GPU all of the step gets shorter.{waits}",
        )
    return (
        f"Recorded without a GPU: {what} takes {part}.",
        f"With a GPU the rest of the step gets shorter, and this stays as it is.{waits}",
    )


ANSWER_KINDS = ("scalar_read", "host_read")
"""Kinds of lines that bring an answer home."""

ANSWER_ACTION = "Read the answer of a request once, at its end"
ANSWER_HOW = "A request has to wait for its answer: one read at its end is needed, and any before it is not."
