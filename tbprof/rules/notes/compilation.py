"""What findings about compilation say, by rule."""

from __future__ import annotations

from tbprof.model import Numbers
from tbprof.rules.base.rule import duration_of, share_of
from tbprof.texts.figures.places import Scope, place_words
from tbprof.texts.figures.quantities import count


def cmp01(numbers: Numbers, scope: Scope) -> str:
    idle, part = duration_of(numbers, "idle_per_step_ns"), share_of(numbers, "share")
    return f"Compiling leaves the GPU idle for {idle} {scope.each}, {part} of {scope.name}."


def cmp02(numbers: Numbers, _: Scope) -> str:
    where = f"{place_words(str(numbers['place']))}: {numbers['reason']}".rstrip(".")
    return f"{where}. {what_compile_brought_words(numbers)}"


def cmp03(numbers: Numbers, _: Scope) -> str:
    skipped = f"{count(int(numbers['skips']), 'time')} torch gave up a CUDA graph"
    reason = str(numbers["reason"]).rstrip(".")
    return f"{skipped}: {reason}." if reason else f"{skipped}; it does not keep why."


def cmp04(numbers: Numbers, _: Scope) -> str:
    where = place_words(str(numbers["place"]))
    reason = str(numbers["reason"]).rstrip(".")
    about = f"{where}: {reason}" if where else reason
    given_up = " Torch has given up, and runs it uncompiled." if numbers["given_up"] else ""
    times = count(int(numbers["times"]), "time")
    return f"{about}. Compiled again {times}, {int(numbers['compile_ms']):,} ms.{given_up}"


def what_compile_brought_words(numbers: Numbers) -> str:
    """How many calls of torch became how many graphs, and what these launch; kernels only of a device."""
    operations, graphs = count(int(numbers["operations"]), "call"), count(int(numbers["graphs"]), "graph")
    made = f"{operations} of torch became {graphs}"
    regions = float(numbers["regions_per_step"])
    run = f"a step runs compiled code {'once' if regions == 1 else f'{regions:g} times'}"
    kernels = float(numbers["kernels_per_step"])
    return f"{made}; {run}" + (f" and {kernels:g} kernels of it." if kernels else ".")
