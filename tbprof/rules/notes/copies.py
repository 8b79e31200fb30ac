"""What findings about copies say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, number_of
from tbprof.texts.figures.places import Scope
from tbprof.texts.figures.quantities import count, mean, size


def cpy01(numbers: Numbers, _: Scope) -> str:
    sizes = f"{size(int(numbers['bytes']))} in the window, {duration_of(numbers, 'call_ns')} in the calls."
    if numbers.get("is_staged_without_wait", 0):
        sizes += (
            " Nothing is waited for there, but the host copies pageable memory itself and launches nothing"
            " meanwhile; what pinning it would save is not estimated."
        )
    return sizes if numbers.get("is_batch", 1) else f"{sizes} It is not a batch."


def cpy03(numbers: Numbers, _: Scope) -> str:
    each = size(int(numbers["copy_bytes"]))
    if int(numbers["proven"]):
        return f"The hook compared them: the same {each} in one step after another."
    return f"{each} each time; whether they are the same bytes was not compared."


def cpy06(numbers: Numbers, scope: Scope) -> str:
    objects = float(numbers["objects_per_step"])
    return f"{numbers['place']}: {mean(objects)} {'object' if objects == 1 else 'objects'} {scope.each}."


def cpy07(numbers: Numbers, scope: Scope) -> str:
    copies = number_of(numbers, "copies_per_step")
    return f"{copies} copies {scope.each}, of {size(int(numbers['median_bytes']))} each."


def cpy08(numbers: Numbers, _: Scope) -> str:
    return f"{count(int(numbers['trips']), 'round trip')}, {size(int(numbers['bytes']))} in all."


def cpy09(numbers: Numbers, _: Scope) -> str:
    exposed, device = duration_of(numbers, "exposed_ns"), duration_of(numbers, "device_ns")
    return f"{exposed} of the {device} that it takes are hidden by nothing."


def cpy13(numbers: Numbers, _: Scope) -> str:
    here, best = number_of(numbers, "gb_per_s"), number_of(numbers, "best_gb_per_s")
    return f"{here} GB/s, where {best} GB/s were seen in the same window."
