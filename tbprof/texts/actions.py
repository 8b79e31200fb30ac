"""What to do about a finding, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tbprof.model import Scope
from tbprof.texts.figures.quantities import count, duration, size
from tbprof.texts.rule_pages import RuleText

_END = re.compile(r"[.;](?= )(?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""The end of a sentence or a clause, outside of code."""

_LONGEST_PLACE = 72

_LISTED = re.compile(r"\[[^\[\]]*\]")

RECORD_FIRST = {
    "cold_start": "Record again with a longer `skip_first`",
    "capture": "Profile steps that replay the graph",
    "outside_window": "Mark the steps with a schedule, and record some that come later",
    "host_unrecorded": "Record the operators of the threads that launch, too",
    "model_moved": "Begin the recording once the model is on the GPU",
    "leading_wait": "Record several steps, or requests, in one window",
}
"""What to do before any change where the window is not typical, by the verdict's case."""

TOGETHER = "Fix these waits together"
HOW_TOGETHER = "Each hides behind the others: one alone saves hardly anything."


def actions_title(*, after_lines: bool, after_recording: bool) -> str:
    """The title of the list of actions, after lines that would wait for a GPU, or after another recording."""
    if after_recording:
        return "What to look at once it is recorded again"
    return "Then, on the host" if after_lines else "What to change first"


def how_to(rule: RuleText) -> str:
    """The first sentence of the rule's fix."""
    return f"{_END.split(rule.fix, maxsplit=1)[0].rstrip('.')}."


def line_worth_words(
    scope: Scope,
    *,
    estimate_us: float | None,
    ceiling_us: float,
    alone_us: float,
    after: Sequence[int],
    within: int | None,
    instead: int | None,
) -> str:
    """What a line saves, and on which others that rests.

    Args:
        scope: Of the figures.
        estimate_us: What it saves; None where only a ceiling is known.
        ceiling_us: At most.
        alone_us: What it saves where nothing else is changed.
        after: The numbers of the changes that have to come first.
        within: The number of its own change where that has several lines.
        instead: The number of the change that wins back the same time.
    """
    shown, alone = duration(ceiling_us if estimate_us is None else estimate_us), duration(alone_us)
    words = [
        f"up to {shown}" if estimate_us is None else f"{'adds' if after else 'saves'} {shown}",
        scope.each,
    ]
    if after:
        words.append(f"together with {_numbered(after, within)}")
    elif shown != alone:
        words.append("after the changes above it")
    rests = f", {alone} alone" if shown != alone else ""
    other = "" if instead is None else f"; change {instead} wins back the same time"
    return f"{' '.join(words)}{rests}{other}"


def _numbered(numbers: Sequence[int], within: int | None) -> str:
    others = [str(number) for number in numbers if number != within]
    lines = ["the other lines of its own change"] if within in numbers else []
    named = f"change{'s' if len(others) > 1 else ''} {', '.join(others)}" if others else ""
    return " and ".join([*filter(None, [named]), *lines])


def way_words(title: str, place: str, *, estimate_us: float | None, ceiling_us: float) -> str:
    """Another change that wins back the time of the row that it stands in."""
    where = f" ({place})" if place else ""
    saves = f"up to {duration(ceiling_us)}" if estimate_us is None else f"saves {duration(estimate_us)}"
    return f"Or: {title[0].lower()}{title[1:]}{where}: {saves} of the same time."


def worth_words(estimate_us: float | None, ceiling_us: float, *, adds: bool) -> str:
    """What an action saves; `adds`: beside the rows of the fix plan above it."""
    if estimate_us is None:
        return f"up to {duration(ceiling_us)}"
    return f"{'adds' if adds else 'saves'} {duration(estimate_us)}"


def bounds_words(
    floor_us: float,
    estimate_us: float | None,
    ceiling_us: float,
    *,
    alone_us: float,
    then: str,
) -> str:
    """How sure that is: from where to where, what it saves without the others, how long a step then takes."""
    if estimate_us is None:
        words = [f"at least {duration(floor_us)}" if floor_us > 0 else "an upper limit"]
    else:
        words = [f"{duration(floor_us)} to {duration(ceiling_us)}"]
    if duration(alone_us) != duration(ceiling_us if estimate_us is None else estimate_us):
        words.append(f"alone {duration(alone_us)}")
    return "; ".join([*words, then] if then else words)


def then_words(left_us: float, *, is_most: bool) -> str:
    """How long a step takes after a change and those above it."""
    return f"then {'at most ' if is_most else ''}{duration(left_us)}"


def first_action_sentence(
    action: str, place: str, *, saved_us: float | None, most_us: float, step_us: float
) -> str:
    """The order, where it is to be followed ("" if nowhere), and what of a step it saves.

    Args:
        action: In the imperative, without a full stop.
        place: A line, or the code that was recorded around it.
        saved_us: The estimate; None where only a ceiling is known.
        most_us: The ceiling.
        step_us: How long a step takes.
    """
    where = f" ({place})" if place else ""
    saves = f"up to {duration(most_us)}" if saved_us is None else f"saves about {duration(saved_us)}"
    return f"First: {action[0].lower()}{action[1:]}{where}: {saves} of {duration(step_us)}."


def record_first_sentence(case: str, *, spent_us: float, step_us: float) -> str:
    """The same with its reason.

    Args:
        case: Of the verdict, one of `RECORD_FIRST`.
        spent_us: How much of a step happens once in a process, or is not known.
        step_us: How long a step takes.
    """
    what = RECORD_FIRST[case]
    first = f"First: {what[0].lower()}{what[1:]}"
    if case == "cold_start":
        return (
            f"{first}: for {duration(spent_us)} of {duration(step_us)} the GPU is idle in first calls, "
            "which happen once."
        )
    if case == "host_unrecorded":
        return f"{first}: for {duration(spent_us)} of {duration(step_us)} nobody knows what the host does."
    if case == "model_moved":
        return f"{first}: until then {duration(spent_us)} of {duration(step_us)} pass, once."
    if case == "capture":
        return f"{first}; what is slow here happens once."
    if case == "outside_window":
        return f"{first}: in most of this recording the GPU has nothing to do."
    return f"{first}; in this one nothing on the host is worth a change."


def growing_memory_sentence(device: str, per_step_bytes: int) -> str:
    """What comes before any gain of time in a run that is long enough."""
    whose = "the CPU" if device == "CPU" else device
    return f"Memory of {whose} grows by {size(per_step_bytes)} in each step (MEM05), until it is full."


NOTHING_ON_HOST = "First: nothing on the host is worth a change; only faster kernels, or fewer, save time."
HIDDEN_IN_GRAPHS = (
    "First: record again, with nsys profile --cuda-graph-trace=node: what is idle inside a CUDA graph counts "
    "as busy here."
)


def _shortened(place: str) -> str:
    """A whole name would bury the sentence that it stands in; what it lists in brackets goes first."""
    if len(place) > _LONGEST_PLACE:
        place = _LISTED.sub("[\u2026]", place)
    return place if len(place) <= _LONGEST_PLACE else f"{place[: _LONGEST_PLACE - 1]}\u2026"


def place_of(places: Sequence[str]) -> str:
    """The first of several places, and how many more there are; "" if there is none."""
    if not places:
        return ""
    first, more = _shortened(places[0]), len(dict.fromkeys(places)) - 1
    return f"{first} and {count(more, 'more place')}" if more else first


def smaller_sentence(changes: int, scope: Scope, *, added_us: float, then_us: float, is_most: bool) -> str:
    """What changes that are too small to be listed add, and how long a step, or the window, then takes."""
    add, then = "adds" if changes == 1 else "together add", duration(then_us)
    takes = f"{scope.name} then takes {'at most ' if is_most else ''}{then}"
    return f"{count(changes, 'smaller change')}, not listed, {add} {duration(added_us)}: {takes}."
