"""What findings about memory say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import about_of, duration_of, share_of
from tbprof.texts.figures.places import Scope, place_words
from tbprof.texts.figures.quantities import count, size


def mem01(numbers: Numbers, scope: Scope) -> str:
    spent = duration_of(numbers, "call_per_step_ns")
    number = about_of(numbers, "calls_per_step")
    calls = f"{number} {'call' if number == '1' else 'calls'} of the driver, {spent}"
    place = place_words(str(numbers["place"]))
    said = f"{calls} {scope.each}, most of it in {place}." if place else f"{calls} {scope.each}."
    retries = int(numbers["retries"])
    if not retries:
        return said
    return f"{said} Memory was short: the cache was emptied {count(retries, 'time')} to go on."


def mem02(numbers: Numbers, _: Scope) -> str:
    frees = count(int(numbers["frees"]), "block was freed", "blocks were freed")
    again = f"{int(numbers['allocations']):,} allocated"
    said = f"{frees} and {again}, {duration_of(numbers, 'call_ns')} in the calls."
    # Earlier versions did not tell it.
    if not numbers.get("is_uncached"):
        return said
    return f"Each tensor is allocated and freed by the driver: the caching allocator is off. {said}"


def mem03(numbers: Numbers, _: Scope) -> str:
    free, reserved, taken = (
        size(int(numbers[name])) for name in ("free_bytes", "reserved_bytes", "taken_bytes")
    )
    return f"{numbers['device']}: {free} of {reserved} were free in the cache when {taken} more were taken."


def mem04(numbers: Numbers, scope: Scope) -> str:
    spent, part = duration_of(numbers, "per_step_ns"), share_of(numbers, "share")
    return f"The second forward pass takes {spent} {scope.each}, {part} of {scope.name}."


def mem05(numbers: Numbers, _: Scope) -> str:
    grown, device = size(int(numbers["per_step_bytes"])), numbers["device"]
    place, module = place_words(str(numbers["place"])), str(numbers["module"])
    where = f", most of it allocated in {place}" if place else ", outside of every operator"
    inside = f" of module {module}" if module and place else ""
    said = f"{device}: {grown} more in each step{where}{inside}."
    if numbers["may_replace_older"]:
        said = (
            f"{said} Whether older memory is given back for it, as by a queue that is full, is not recorded"
            " on a CPU."
        )
    # Earlier versions did not say it.
    if not numbers.get("is_line", 1):
        said = f"{said} At which line of it, a trace does not say; with `memory=True` the hook records it."
    if not numbers["is_graph"]:
        return said
    return f"{said} Results of several operators that autograd recorded are kept: a tensor with its graph is."
