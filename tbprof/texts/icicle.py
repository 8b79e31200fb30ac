"""What a flame graph shows first, and why it is not offered by something."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from tbprof.texts.figures.places import name_words
from tbprof.texts.figures.quantities import duration, share
from tbprof.texts.idle import host_place_name

_MISSING = {
    "function": "No Python stacks were recorded: record with `with_stack=True`.",
    "operator": "No operators were recorded: record with `ProfilerActivity.CPU`.",
    "module": "No modules were recorded: record with the hook, or `with_stack=True`.",
    "label": "No labels were recorded: put `record_function` around parts of the step.",
}

_FRAME = re.compile(r"(?:.*[/\\])?(?P<file>.+)\((?P<line>\d+)\): (?P<function>.+)", re.DOTALL)
_LOADER = "enumerate(DataLoader)"
_MOST_LETTERS = 60
"""The most letters of a name in a sentence."""
_BACKWARD = "autograd::engine::evaluate_function: "


def kind_missing(kind: str) -> str:
    """What was not recorded, and how it is."""
    return _MISSING[kind]


_PLACES = ("outside ", "before ", "between ", "after ")
"""How names of ours begin that say where themselves."""


def icicle_opening(
    total_us: float,
    parts: Sequence[tuple[str, float]],
    *,
    on_device: bool,
    of_step: bool,
    worded: Container[str] = (),
) -> str:
    """How long it takes, and what most of it lies in.

    Args:
        total_us: On the device or on the host.
        parts: The largest by name, as a trace has it, and by share.
        on_device: Of the work that was launched, else of the host.
        of_step: Whether steps are marked.
        worded: Names that no trace has: words of ours.
    """
    whole = "A step" if of_step else "The window"
    takes = f"{whole}'s GPU work takes" if on_device else f"{whole} takes the host"
    what = f"{takes} {duration(total_us)}"
    *first, last = [f"{share(part)} {_where(name, worded)}" for name, part in parts] or [""]
    inside = f"{', '.join(first)} and {last}" if first else last
    return f"{what}: {inside}." if inside else f"{what}."


def _where(name: str, worded: Container[str]) -> str:
    if name not in worded:
        return f"in `{name_words(_short_name(name))}`"
    return name if name.startswith(_PLACES) else f"in {name}"


def _short_name(name: str) -> str:
    """A function before its file, which loses its folders."""
    frame = _FRAME.fullmatch(name)
    if frame is not None:
        name = f"{frame['function']} ({frame['file']}:{frame['line']})"
    name = name.removeprefix(_BACKWARD)
    shown = host_place_name(name) if name.startswith(_LOADER) else name
    return shown if len(shown) <= _MOST_LETTERS else f"{shown[: _MOST_LETTERS - 1]}\u2026"
