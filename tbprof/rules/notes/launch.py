"""What findings about launches say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import about_of, duration_of, share_of
from tbprof.texts.figures.places import Scope, place_words


def _bound_code(numbers: Numbers, scope: Scope) -> str:
    length = duration_of(numbers, "median_kernel_ns")
    kernels = f"{about_of(numbers, 'kernels_per_step')} kernels {scope.each}, {length} long at the median"
    ops = f"launched by {about_of(numbers, 'ops_per_step')} {'op' if numbers['ops_per_step'] == 1 else 'ops'}"
    place = place_words(str(numbers["place"]))
    told = [kernels, *([ops] if numbers["ops_per_step"] else [])]
    return f"{', '.join(told)}, {f'in {place}' if place else 'outside every label and function'}."


lch01 = lch03 = _bound_code


def lch02(numbers: Numbers, scope: Scope) -> str:
    place = place_words(str(numbers["place"])) or "code that was not recorded"
    return f"{duration_of(numbers, 'idle_per_step_ns')} {scope.each} in {place}."


def lch04(numbers: Numbers, scope: Scope) -> str:
    held, idle = duration_of(numbers, "loop_per_step_ns"), duration_of(numbers, "idle_per_step_ns")
    turns = f"{int(numbers['turns']):,} turns hold the host for {held} {scope.each}"
    return f"{turns}; the GPU is idle for {idle} of it."


def lch05(numbers: Numbers, scope: Scope) -> str:
    small, kernels = int(numbers["small"]), int(numbers["kernels"])
    part = share_of(numbers, "share")
    few = f"{small:,} of {kernels:,} kernels have less than a block for each multiprocessor"
    return f"{few}: {part} of {scope.name}."


def lch06(numbers: Numbers, scope: Scope) -> str:
    place = place_words(str(numbers["most_in"]))
    said = f"Python outside of operators takes {duration_of(numbers, 'python_per_step_ns')} {scope.each}"
    if not place or "most_per_step_ns" not in numbers:
        return f"{said}."
    return f"{said}; the largest named part, {duration_of(numbers, 'most_per_step_ns')}, in {place}."


def lch07(numbers: Numbers, _: Scope) -> str:
    factor, most, least = int(numbers["factor"]), share_of(numbers, "share"), share_of(numbers, "least_share")
    full = f"With kernels {factor} times as long the GPU no longer waits"
    return (
        f"{full}: in a batch {factor} times as large a sample takes {least} to {most} of what it takes now."
    )
