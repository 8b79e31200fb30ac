"""What findings about waits for the GPU say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, number_of, share_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count


def syn03(numbers: Numbers, _: Scope) -> str:
    return f"{numbers['op']} reads back how large its result is."


def syn05(numbers: Numbers, scope: Scope) -> str:
    return f"{number_of(numbers, 'per_step')} round trips {scope.each}."


def syn09(numbers: Numbers, _: Scope) -> str:
    launches = count(int(numbers["launches"]), "launch", "launches")
    return f"{launches} were held back by {duration_of(numbers, 'lost_ns')} in all."


def syn10(numbers: Numbers, _: Scope) -> str:
    return (
        f"Removing all of them saves {duration_of(numbers, 'joint_ns')} in the window, "
        f"one by one {duration_of(numbers, 'singles_ns')}: each hides behind the others."
    )


def syn11(numbers: Numbers, _: Scope) -> str:
    return f"{share_of(numbers, 'share')} of the launches return only when their kernel is done."


def syn13(numbers: Numbers, scope: Scope) -> str:
    waits, queued = share_of(numbers, "wait_share"), share_of(numbers, "queued_share")
    return f"{waits} of {scope.name} in such waits, {queued} idle with work queued."
