"""What is said of lines that would wait for a GPU, where there was none."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.framework_options import CHECKED, CHECKED_ERRORS, FrameworkOption, option_at
from tbprof.model import PredictedLine, RecordedCall, Scope
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

_OWN_COPY = ("upload",)
"""Kinds that wait for a copy of their own, and drain nothing."""


def framework_fix(file: str, function: str, kind: str) -> str:
    """What to do instead of a line in a framework, by an option of its own; "" where none is known."""
    option = option_at(file, function, _OPS.get(kind, ()), is_upload=kind == "upload")
    return "" if option is None else option.fix


def option_of_line(line: PredictedLine, calls: Sequence[RecordedCall]) -> FrameworkOption | None:
    """The option that takes a line away: a line of a framework, or what torch's own code does for it."""
    at = line.source.file, line.source.line, line.call
    via = (call.via for call in calls if call.via and (call.file, call.line, call.call) == at)
    frames = ((line.source.file, line.source.function), *((file, None) for file in via))
    ops = (CHECKED_ERRORS,) if line.call in CHECKED else _OPS.get(line.kind, ())
    options = (option_at(*frame, ops, is_upload=line.kind == "upload") for frame in frames)
    return next(filter(None, options), None)


def kind_name(kind: str) -> str:
    """What a line does, in a few words; a kind of another version is called by its own name."""
    return _KINDS.get(kind, kind.replace("_", " "))


def waits_words(kind: str, waits: int, scope: Scope) -> str:
    """What a line would do on a GPU, and how often; `waits` is 0 where it would raise."""
    if waits == 0:
        return _ERROR
    what = "waits for its own copy" if kind in _OWN_COPY else "drains the GPU's queue"
    often = {1: "once", 2: "twice"}.get(waits, f"{waits:,} times")
    return f"{what} {often} {scope.each}"


def first_line_sentence(action: str, place: str, worth: str) -> str:
    """The line to change first; `worth`, of `waits_words`, has no time before a GPU shows it."""
    order = f"First: {action[0].lower()}{action[1:]} ({place})."
    cost = "" if worth == _ERROR else ": record on a GPU to see what that costs"
    return f"{order} On a GPU it {worth}{cost}."


def predicted_sentences(
    lines: int, *, step_us: float | None, operators_us: float, stays: Sequence[tuple[str, float]]
) -> tuple[str, str]:
    """The sentence that opens the screen of a run without a GPU, and where its step goes."""
    waits = (
        f"{count(lines, 'line')} would make the host wait for one"
        if lines
        else "no line that was seen would make the host wait for one"
    )
    return f"Recorded without a GPU: {waits}.", _spent(step_us, operators_us, stays)


def _spent(step_us: float | None, operators_us: float, stays: Sequence[tuple[str, float]]) -> str:
    if not step_us:
        return "No device work is in this trace; only a GPU can show what the lines cost."
    operators = f"operators of torch take {duration(operators_us)}, which a GPU takes over"
    return f"Of a mean step of {duration(step_us)}, {operators}; {stays_words(stays)}."


def stays_words(stays: Sequence[tuple[str, float]]) -> str:
    """What a GPU takes over nothing of, as a sum and its parts, most first."""
    parts = sorted((part for part in stays if part[1] > 0), key=lambda part: -part[1])
    named = [f"{duration(us)} {name}" for name, us in parts]
    total = duration(sum(us for _, us in parts))
    return f"{total} stay: {', '.join(named)}" if len(named) > 1 else f"{', '.join(named) or total} stays"


_HOST_WORK = (("DAT", "loading data"), ("CMP", "compiling"))


def host_sentences(
    rule: str, lines: int, *, spent_us: float, step_us: float, stays: Sequence[tuple[str, float]]
) -> tuple[str, str]:
    """The same where most of what is known of a step is that it loads data, runs Python or drops out.

    Args:
        rule: The one that found it.
        lines: How many lines would make the host wait for a GPU.
        spent_us: How much of a step it is.
        step_us: How long a step takes.
        stays: The parts of a step that a GPU does not take over.
    """
    what = next(
        (words for family, words in _HOST_WORK if rule.startswith(family)), "Python outside of operators"
    )
    part = f"{share(spent_us / step_us)} of a step, {duration(spent_us)} of {duration(step_us)}"
    waits = f" {count(lines, 'line')} would make the host wait for the GPU, too." if lines else ""
    if rule.startswith("INF"):
        return (
            f"Recorded without a GPU: nothing is trained, and training mode takes up to {part}.",
            f"With a GPU all of the step gets shorter.{waits}",
        )
    return (
        f"Recorded without a GPU: {what} takes {part}.",
        f"With a GPU the rest of the step gets shorter; {stays_words(stays)}.{waits}",
    )


ANSWER_KINDS = ("scalar_read", "host_read")
"""Kinds of lines that bring an answer home."""

ANSWER_ACTION = "Read the answer of a request once, at its end"
ANSWER_HOW = "A request has to wait for its answer: one read at its end is needed, and any before it is not."
