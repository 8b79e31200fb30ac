"""Memory grows with each step.

What
    In every step the program allocates memory that it does not give back. The place is where most of it is
    allocated; who keeps it is elsewhere, such as a list, a cache, or a graph of autograd.

Why
    A run that fits for an hour is out of memory after a day, and before that the allocator empties its
    cache in the steps (MEM02).

Example
    before:
        outputs.append(model(batch))
    after:
        outputs.append(model(batch).detach().cpu())

Action
    Store Python numbers, not tensors, from past steps.

Fix
    Look for what outlives the step: lists and dictionaries of tensors, hidden states that are not detached,
    hooks that store activations. Keep `.item()` or `.detach().cpu()`, clear it, or bound its length.
    caveat: what is collected for the end of an epoch and cleared then grows as well; it has to fit.

Silent
    Not reported for less than 10 kB a step, for windows of fewer than four steps, if any step keeps nothing
    (a cache that has been filled, or every second step), in threads that the profiler does not see, if as
    much of what older steps kept is freed, or without addresses. A cache that fills throughout the window
    looks like a leak. On the CPU torch does not record when memory from before the window is freed: there a
    long-full queue looks like one, too, and the class is at most medium. Memory of Python objects and of
    other libraries is not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.memory_blocks import window_memory
from tbprof.analysis.figures.memory_growth import ENOUGH_STEPS, Growth, find_growth
from tbprof.model import Finding, Severity
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Need, Rule
from tbprof.rules.memory.words import MIN_GROWTH_BYTES, GrowingMemory, SteadyMemory
from tbprof.trace.columns.columns import Category

_CODE = "MEM05"

_STEPS_TO_DOUBLE: tuple[tuple[int, Severity], ...] = ((1_000, "high"), (10_000, "medium"))
"""A run of so many steps needs twice the peak of now."""


def find(facts: Facts) -> Iterator[Finding]:
    for growth in facts.once(find_growth):
        if growth.all_bytes_per_step >= MIN_GROWTH_BYTES:
            yield _finding(facts, growth)


def _finding(facts: Facts, growth: Growth) -> Finding:
    place = _place(facts, growth)
    steps = growth.peak_bytes / growth.all_bytes_per_step
    severity: Severity = next((severity for most, severity in _STEPS_TO_DOUBLE if steps <= most), "low")
    return window_finding(
        _CODE,
        place=f"{growth.device} {place}",
        severity="medium" if growth.may_replace_older and severity == "high" else severity,
        count=max(len(growth.calls), 1),
        removal="rewrite",
        saving=None,
        confidence="low" if growth.source is None or growth.may_replace_older else "medium",
        evidence=row_evidence(facts, "op", growth.calls),
        figures=GrowingMemory(
            device=growth.device,
            place=place,
            operator=growth.operator or "",
            module=growth.module or "",
            place_per_step_bytes=growth.bytes_per_step,
            per_step_bytes=growth.all_bytes_per_step,
            peak_bytes=growth.peak_bytes,
            is_graph=growth.is_graph,
            may_replace_older=growth.may_replace_older,
            is_line=growth.source is None or growth.source.exact,
        ),
    )


def _place(facts: Facts, growth: Growth) -> str:
    """The user's function, as a recording spells it, else the operator."""
    source = growth.source
    if source is None:
        return growth.operator or ""
    written = f"{source.file}({source.line or 0}): {source.function}"
    return f"{source.file}: {source.function}" if _was_open_before(facts, written) else written


def _was_open_before(facts: Facts, frame: str) -> bool:
    """Whether it is a frame that ran when the recording began: its line is where it stood then."""
    names, slices = facts.trace.names, facts.trace.slices
    if frame not in names:
        return False
    of_frame = (slices.category == Category.PYTHON) & (slices.name == names.index(frame))
    started = slices.start_ns[of_frame]
    return len(started) > 0 and bool((started < facts.steps.start_ns.min()).all())


def _looked_at(facts: Facts) -> SteadyMemory | None:
    devices = facts.once(window_memory)
    blocks = sum(0 if device.blocks is None else len(device.blocks) for device in devices)
    return SteadyMemory(blocks, len(facts.steps)) if blocks else None


def _records_addresses(facts: Facts) -> bool:
    return any(device.blocks is not None for device in facts.once(window_memory))


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    find=find,
    passing=_looked_at,
    needs=(
        Need("memory events", _records_addresses),
        Need("four steps", lambda facts: facts.steps.recorded and len(facts.steps) >= ENOUGH_STEPS),
    ),
    no_saving="it is about memory, and time is lost only when that is full",
)
