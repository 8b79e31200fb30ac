"""What `tbprof check` says of a finding in one piece, for tools that show it beside its line."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, first_few

_MOST_NAMED = 3


def how_often(times: int, *, ran_in: int, of_steps: int) -> str:
    """`2 a step`, `1 in 1 of 3 steps`, `2 each in 2 of 3 steps`, or `7 in all` where nothing took a step.

    Args:
        times: Most in one step; without steps, in the whole run.
        ran_in: In how many of the steps that were looked at.
        of_steps: All of those; 0 where nothing took a step.
    """
    if of_steps == 0:
        return f"{times:,} in all"
    if ran_in == of_steps:
        return f"{times:,} a step"
    return f"{times:,} {'each ' if ran_in > 1 else ''}in {ran_in:,} of {count(of_steps, 'step')}"


def found_sentence(title: str, fix: str, often: str, *, predicted: bool) -> str:
    """What is the case, how often in the words of `how_often`, and how it is fixed."""
    proof = " (predicted, no GPU was used)" if predicted else ""
    return f"{title}: {often}{proof}. {fix}".rstrip()


def warned_sentence(title: str, place: str, reason: str) -> str:
    """What is the case; `place` is "" where it is about the whole window."""
    return f"{title}{f' in {place}' if place else ''} ({reason})"


def budget_sentence(
    found: float | None,
    of: str,
    allowed: int,
    *,
    has_steps: bool,
    is_share: bool = False,
    worst: str = "",
    unrecorded: Sequence[str] = (),
) -> str:
    """What there is of something in a step; `of` is "" for sync points of all kinds.

    `found` is None where none of the recordings has the figure, else that of `worst`, which is "" where there
    is no other; `unrecorded` are those that lack it.
    """
    lacked = "recorded" if is_share else "checked"
    lacking = f"{of} was not {lacked} in {first_few(unrecorded, _MOST_NAMED)}" if unrecorded else ""
    if found is None:
        return f"{lacking}: the budget can't be judged"
    whose = f" of {worst}" if worst else ""
    if is_share:
        said = f"{found:.1f} % {of} of the steps{whose}, {allowed:,} % allowed"
    else:
        said = f"{found:,} {of or 'sync points'} {_counted(has_steps)}{whose}, {allowed:,} allowed"
    return f"{said}; {lacking}" if lacking else said


def failure_sum(forbidden: int, over_budget: Sequence[str]) -> str:
    """What fails the build, in a few words: so many findings, and what is over its budget."""
    is_one = "is" if forbidden == 1 else "are"
    found = [f"{count(forbidden, 'finding')} {is_one} forbidden"] if forbidden else []
    over = [f"over the budget of {' and '.join(over_budget)}"] if over_budget else []
    return ", ".join([*found, *over])


def unchecked_sentence(word: str) -> str:
    """Of a rule, or a family of them, that is forbidden."""
    return f"{word} is forbidden, and no window could be checked for it"


def unjudged_sum(windows: int, of: int, words: Sequence[str]) -> str:
    """What could not be judged, in a few words: of all windows so many, and each of `words`."""
    counted = [f"{windows:,} of {count(of, 'window')}"] if windows else []
    return f"{' and '.join([*counted, *words])} could not be judged"


def _counted(has_steps: bool) -> str:
    """Where nothing took a step, nothing is said of one."""
    return "in a step" if has_steps else "in the whole run"
