"""What findings about inference say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import about_of, duration_of, number_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count


def inf01(numbers: Numbers, scope: Scope) -> str:
    calls = f"{int(numbers['calls']):,} calls drop something"
    dropping = f"{calls}, {duration_of(numbers, 'per_step_ns')} {scope.each}"
    if not numbers.get("norms_per_step_ns"):
        return f"{dropping}."
    return f"{dropping}; batch norms take {duration_of(numbers, 'norms_per_step_ns')}."


def inf02(numbers: Numbers, scope: Scope) -> str:
    nodes = f"{about_of(numbers, 'per_step')} {'node' if numbers['per_step'] == 1 else 'nodes'} {scope.each}"
    return f"Autograd makes {nodes} for a backward pass that is not there."


def inf03(numbers: Numbers, _: Scope) -> str:
    slow = count(int(numbers["slow"]), "request")
    return f"{slow} of {int(numbers['requests']):,} took twice the median or longer. {latency_words(numbers)}"


def latency_words(numbers: Numbers) -> str:
    """The latencies of a program that only infers; the first request shows what warming up takes."""
    median, slowest = duration_of(numbers, "p50_ns"), duration_of(numbers, "p99_ns")
    first, per_s = duration_of(numbers, "first_ns"), number_of(numbers, "per_s")
    requests = count(int(numbers["requests"]), "request")
    return f"{requests}: p50 {median}, p99 {slowest}, {per_s} a second in turn; the first took {first}."
