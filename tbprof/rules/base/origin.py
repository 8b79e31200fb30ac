"""What most of some device work comes from: code of the program, else an operator, else a kernel."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.kernel_names import short_name
from tbprof.texts.figures.places import place_words
from tbprof.trace.columns.arrays import NONE, Int64s

_MUCH = 0.3
"""The part from which code is where it comes from."""

_WHOLE = 0.95
"""What launches this part of all of the device's work is no place in it."""

_NO_PLACE = re.compile(r"torch\.compile: |DistributedDataParallel\.|\w+Backward\d*$")
"""What nobody wrote, or what holds the whole model."""

_BACKWARD = re.compile(r"autograd::engine::evaluate_function: |\w+Backward\d*$")


def origin_of(facts: Facts, at: Int64s, weight: Int64s) -> str:
    """What holds most of the weight, in words; "" where the recording has no name for any of it.

    Args:
        facts: Of the window.
        at: Positions in the device work.
        weight: Of each of them.
    """
    launched = facts.work.launch[at] != NONE
    name = _code(facts, at[launched], weight[launched]) or _operator(facts, at, weight)
    return place_words(name) if name else _kernel(facts, at, weight)


def _code(facts: Facts, at: Int64s, weight: Int64s) -> str:
    """A label or function: not a range that holds the whole step."""
    held = _sums(_places(facts, at), weight.tolist())
    held = {one: ns for one, ns in held.items() if one and not _NO_PLACE.match(one)}
    name = max(held, key=lambda one: (held[one], one), default="")
    if not name or held[name] < _MUCH * int(weight.sum()):
        return ""
    everywhere = _places(facts, facts.kernels_in_steps)
    return "" if everywhere.count(name) > _WHOLE * len(everywhere) else name


def _places(facts: Facts, at: Int64s) -> list[str]:
    slices, launch = facts.trace.slices, facts.work.launch[at]
    return facts.places.code_on(slices.lane[launch].astype("int64"), slices.start_ns[launch])


def _operator(facts: Facts, at: Int64s, weight: Int64s) -> str:
    """The outermost one; of the backward pass only where the forward launches none of it."""
    names, ops = facts.trace.names, facts.top_ops
    of_work = ops.of_work[at]
    known = of_work != NONE
    rows = ops.rows[of_work[known]]
    name = (names[one] for one in facts.trace.slices.name[rows].tolist())
    held = _sums(name, weight[known].tolist())
    forward = [one for one in held if not _BACKWARD.match(one)]
    return max(forward or held, key=lambda one: (held[one], one), default="")


def _kernel(facts: Facts, at: Int64s, weight: Int64s) -> str:
    rows = facts.work.rows[at]
    names = (facts.trace.names[one] for one in facts.trace.slices.name[rows].tolist())
    held = _sums(names, weight.tolist())
    return f"kernel {short_name(max(held, key=lambda one: (held[one], one)))}" if held else ""


def _sums(names: Iterable[str], weights: Iterable[int]) -> dict[str, int]:
    held: defaultdict[str, int] = defaultdict(int)
    for name, weight in zip(names, weights, strict=True):
        held[name] += weight
    return dict(held)
