"""What findings about the recording itself say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of
from tbprof.texts.figures.places import Scope


def trc01(numbers: Numbers, _: Scope) -> str:
    said = []
    if int(numbers["cold_steps"]):
        first, usual = duration_of(numbers, "first_step_ns"), duration_of(numbers, "median_step_ns")
        said.append(f"The first step took {first}, the others {usual}.")
    if "longest_call" in numbers:
        said.append(_first_calls(numbers))
    # Earlier versions did not look there.
    if "before_ns" in numbers:
        is_all = numbers["before_ns"] == numbers["loading_ns"]
        part = "That is" if is_all else f"{duration_of(numbers, 'before_ns')} of that is"
        said.append(f"{part} before the GPU's first work.")
    return " ".join(said)


def _first_calls(numbers: Numbers) -> str:
    spent, longest = duration_of(numbers, "loading_ns"), duration_of(numbers, "longest_ns")
    op = f" in {numbers['longest_op']}" if numbers["longest_op"] else ""
    call = f"{numbers['longest_call']}{op}"
    if int(numbers["loading_calls"]) == 1:
        return f"A first call, {call}, took {spent}."
    calls = f"{int(numbers['loading_calls']):,} first calls"
    return f"{calls} took {spent}; the longest, {call}, took {longest}."


def trc04(numbers: Numbers, _: Scope) -> str:
    worst = duration_of(numbers, "worst_lag_ns")
    return f"At worst the GPU ends {worst} after the step on the host."
