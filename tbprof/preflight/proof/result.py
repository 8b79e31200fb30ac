"""Whether two runs came to the same: all that lasts after each step, to the bit, and what was printed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import isnan
from typing import Literal, TypeAlias

from tbprof.preflight.proof.record import SAVED, ZERO, Role, Said, SideRecord, StepState, TensorState
from tbprof.records import dataclass

_HALF = 0.501
"""The part of the last digit by which a rounded figure may be off."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that is not equal to the bit."""

    step: int
    """Counted from 1."""
    name: str
    sentence: str
    source: str
    """The line that wrote it: that of the optimizer's step, or of the backward pass where that began with
    something else already."""
    absolute: float | None = None
    relative: float | None = None
    """The largest of the tensor, by its largest value."""
    is_of_values: bool = False
    """Whether it is one of a tensor's values, which rounding may explain."""


def first_difference(before: SideRecord, after: SideRecord) -> Difference | None:
    """The first difference in what lasts, over the steps that both have."""
    for number, (old, new) in enumerate(zip(before.steps, after.steps, strict=False), 1):
        found = next(_differences(number, old, new), None)
        if found is not None:
            return found
    return None


def differing(old: StepState, new: StepState) -> list[tuple[TensorState, TensorState]]:
    """The pairs of tensors of a step that are not equal to the bit."""
    both = paired(old.tensors, new.tensors).pairs
    return [(one, other) for one, other in both if (one.digest, one.shape) != (other.digest, other.shape)]


def differs(tensor: TensorState) -> str:
    """Said of values."""
    return f"the {tensor.role} {tensor.name} differs"


def structure(number: int, old: StepState, new: StepState) -> Iterator[Difference]:
    """What no rounding explains: tensors that lack, or have another shape or type, settings, states."""
    both = paired(old.tensors, new.tensors)
    for lost in both.lost:
        yield Difference(
            number, lost.name, f"the {lost.role} {lost.name} is not there after the change", new.line
        )
    for added in both.added:
        if added.role != "weights kept aside":
            yield Difference(
                number, added.name, f"the {added.role} {added.name} was not there before", new.line
            )
    for one, other in both.pairs:
        if (one.shape, one.dtype or other.dtype) != (other.shape, other.dtype or one.dtype):
            sentence = (
                f"the {one.role} {other.name} is {other.dtype} {list(other.shape)}, and was {one.dtype} "
                f"{list(one.shape)}"
            )
            yield Difference(number, other.name, sentence, new.line)
    for name in dict.fromkeys((*old.numbers, *new.numbers)):
        was, is_now = old.numbers.get(name), new.numbers.get(name)
        if was != is_now:
            is_state = name.startswith("the random state")
            said = "is another" if is_state else f"is {is_now}, and was {was}"
            yield Difference(number, name, f"{name} {said}", new.line)


def _differences(number: int, old: StepState, new: StepState) -> Iterator[Difference]:
    changed = differing(old, new)
    others = list(structure(number, old, new))
    yield from (each for each in others if not each.name.startswith("the random state"))
    for role in ROLES:
        for one, other in changed:
            if one.role == role:
                yield Difference(number, other.name, differs(other), _source(old, new), is_of_values=True)
    yield from (each for each in others if each.name.startswith("the random state"))


def _source(old: StepState, new: StepState) -> str:
    """The line of the first backward pass that begins with another value, else that of the step."""
    lines = [line for line, _ in new.losses]
    for at, (one, other) in enumerate(zip(old.losses, new.losses, strict=False)):
        if one[1] != other[1]:
            return lines[at]
    return new.line


_FLOAT32 = 1e-5
"""The share by which a sum may be off: a tensor adds up in float32, and Python in float64."""


def sums_difference(
    before: SideRecord, after: SideRecord, again: SideRecord | None = None, other: SideRecord | None = None
) -> Difference | None:
    """The first running sum that is another one, neither of this step nor of the one before or after.

    A sum of another name after the change is not compared, nor one that differs between the program's own
    runs, as that of times does. The arguments are those of `printed_differences`.
    """
    for name in dict.fromkeys(name for step in before.steps for name in step.sums):
        old, new = _sums(before, name), _sums(after, name)
        if again is not None and _sums(again, name) != old:
            continue
        room = _FLOAT32 * max((abs(each) for each in old if each is not None), default=0.0)
        if other is not None:
            room += 16 * max(
                (_apart(*pair) for pair in zip(old, _sums(other, name), strict=False)), default=0.0
            )
        pairs = list(zip(old, new, strict=False))
        shifted = (pairs, zip(old, new[1:], strict=False), zip(old[1:], new, strict=False))
        if all(any(_apart(*pair) > room for pair in each) for each in shifted):
            at = next(at for at, pair in enumerate(pairs) if _apart(*pair) > room)
            sentence = f"the running sum {name} is {new[at]:g}, and was {old[at]:g}"
            return Difference(at + 1, name, sentence, after.steps[at].line)
    return None


def _sums(side: SideRecord, name: str) -> list[float | None]:
    return [step.sums.get(name) for step in side.steps]


def _apart(one: float | None, other: float | None) -> float:
    """How far two sums are from each other; nothing where one is not there, or is no number."""
    if one is None or other is None or isnan(one) or one == other:
        return 0.0
    return abs(one - other) if not isnan(other) else float("inf")


How: TypeAlias = Literal["same", "late", "seldom", "gone", "other"]


@dataclass(frozen=True, slots=True)
class Printed:
    """What became of one figure that is printed or tracked."""

    words: str
    how: How
    """`late`: one step later; `seldom`: in fewer steps; `gone`: never; `other`: another value."""
    step: int
    was: str
    now: str


_Column: TypeAlias = "list[tuple[int, str]]"


def printed_differences(
    before: SideRecord, after: SideRecord, again: SideRecord | None = None, other: SideRecord | None = None
) -> tuple[Printed, ...]:
    """The figures that do not come as they did, without those that differ between the program's own runs.

    Args:
        before: The program before the change.
        after: The program after it.
        again: Another run of the first, where there is one.
        other: A run of it that rounds in another way, where there is one.
    """
    old, new = _columns(before.said), _columns(after.said)
    repeated = old if again is None else _columns(again.said)
    rounded = {} if other is None else _columns(other.said)
    last = len(before.steps)
    found, free = [], {key: column for key, column in new.items() if key not in old}
    for key, column in old.items():
        if column != repeated.get(key):
            continue
        slack = _slack(column, rounded.get(key, column))
        candidates = [new[key]] if key in new else list(free.values())
        judged = [_judged(column, each, last, slack) for each in candidates]
        best = min(judged, key=lambda one: _ORDER.index(one[0]), default=("gone", *column[0], ""))
        if key not in new and best[0] == "other":
            best = ("gone", *column[0], "")
        if key[0].startswith(SAVED) and best[0] in ("late", "seldom"):
            best = ("gone", *best[1:])
        if best[0] == "gone" and all(step >= last - 1 for step, _ in column):
            # It may come with the next step.
            continue
        if best[0] != "same":
            found.append(Printed(key[0], best[0], best[1] + 1, best[2], best[3]))
    return tuple(found)


_ORDER: Sequence[How] = ("same", "late", "seldom", "other", "gone")


def _columns(said: Sequence[Said]) -> dict[tuple[str, int], _Column]:
    """The figures of a run, by the words of a line and the place in it."""
    columns: dict[tuple[str, int], _Column] = defaultdict(list)
    for line in said:
        for at, number in enumerate(line.numbers):
            columns[line.words, at].append((line.step, number))
    return dict(columns)


def _judged(old: _Column, new: _Column, last: int, slack: float) -> tuple[How, int, str, str]:
    """Each figure after the change is one from before it, of the same step or of the one before."""
    at, is_late, skipped = 0, False, 0
    for step, number in new:
        start = at
        while at < len(old) and not (
            0 <= step - old[at][0] <= 1 and same_number(old[at][1], number, slack=slack)
        ):
            at += 1
        if at == len(old):
            was = next((each for when, each in old[start:] if when == step), old[min(start, len(old) - 1)][1])
            return "other", step, was, number
        is_late, skipped, at = is_late or step > old[at][0], skipped + at - start, at + 1
    rest = [each for each in old[at:] if each[0] < last - 1]
    if not new or len(new) + len(old) - at < 1:
        return "gone", *old[0], ""
    if skipped or rest:
        return "seldom", *(rest or old)[0], ""
    return ("late" if is_late else "same"), *old[0], ""


def same_number(one: str, other: str, *, slack: float = 0.0) -> bool:
    """Whether two figures are one, by the digits that both of them show."""
    if one == other:
        return True
    was, now = float(one), float(other)
    if isnan(was) or isnan(now):
        return isnan(was) and isnan(now)
    digits = [_last_place(each) for each in (one, other)]
    # A whole number is no rounded one.
    unit = max(digits) if max(digits) < 1 else 0.0
    return abs(was - now) <= unit * _HALF + slack


def _last_place(number: str) -> float:
    mantissa, _, exponent = number.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - decimals))


def _slack(column: _Column, rounded: _Column) -> float:
    """How much the program's own rounding changes a figure, with room."""
    if len(column) != len(rounded):
        return 0.0
    own = [abs(float(one) - float(other)) for (_, one), (_, other) in zip(column, rounded, strict=True)]
    return 16 * max((each for each in own if not isnan(each)), default=0.0)


ROLES: tuple[Role, ...] = ("gradient", "buffer", "parameter", "optimizer state", "weights kept aside")
"""In the order in which a step makes them."""

_MAY_LACK = ("gradient", "optimizer state")
"""Where one that is zero is as good as none."""


@dataclass(frozen=True, slots=True)
class Paired:
    pairs: tuple[tuple[TensorState, TensorState], ...]
    lost: tuple[TensorState, ...]
    """They have no counterpart after the change."""
    added: tuple[TensorState, ...]


def paired(before: Sequence[TensorState], after: Sequence[TensorState]) -> Paired:
    pairs: list[tuple[TensorState, TensorState]] = []
    lost: list[TensorState] = []
    added: list[TensorState] = []
    for role in ROLES:
        old, new = ([each for each in side if each.role == role] for side in (before, after))
        if role in _MAY_LACK:
            old, new = _without_zeros_of_one(old, new), _without_zeros_of_one(new, old)
        # What is there twice under a name is paired in its order.
        names = {each.name for each in old}
        if len(names) == len(old) and names == {each.name for each in new} and len(new) == len(old):
            by_name = {each.name: each for each in new}
            pairs += [(each, by_name[each.name]) for each in old]
        elif [each.shape for each in old] == [each.shape for each in new]:
            pairs += zip(old, new, strict=True)
        else:
            by_name = {each.name: each for each in new}
            pairs += [(each, by_name.pop(each.name)) for each in old if each.name in by_name]
            lost += [each for each in old if each.name not in {one.name for one in new}]
            added += by_name.values()
    return Paired(tuple(pairs), tuple(lost), tuple(added))


def _without_zeros_of_one(side: list[TensorState], other: list[TensorState]) -> list[TensorState]:
    names = {each.name for each in other}
    return [each for each in side if each.digest != ZERO or each.name in names]
