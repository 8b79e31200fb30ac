"""What `tbprof fits` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tbprof.preflight.fits.outcome import Outcome, growth_of, needed_bytes, verdict_of
from tbprof.preflight.fits.peak import Peak
from tbprof.texts.figures.quantities import count, size

_NOT_COUNTED = (
    "Not counted: what later steps need more, such as longer inputs, and evaluation; the workspaces of "
    "cuDNN and what NCCL keeps. The whole process is given with 0.25 to 1.4 GB for CUDA itself, and at most "
    "with cuBLAS's workspaces, what one operator has inside while it runs (as the CPU's does: a GPU's may "
    "take more or less) and all segments that the allocator would have reserved."
)


def text(program: str, way: str, device_bytes: int | None, outcomes: Sequence[Outcome]) -> str:
    """A table of the batch sizes, and what holds the peak of the largest one."""
    errors = {one.error for one in outcomes}
    if len(errors) == 1 and all(one.peak is None for one in outcomes):
        return f"{program}: {errors.pop()}\n"
    steps = count(max(one.steps for one in outcomes), "step")
    lines = [f"{program}: {steps} followed on the CPU, its batch size set by {way}", ""]
    lines += _table(outcomes, device_bytes)
    known = [one for one in outcomes if one.peak is not None]
    if known:
        lines += ["", *_holders(max(known, key=lambda one: one.batch))]
    lines += [*_growth(outcomes, device_bytes), "", _NOT_COUNTED]
    return "\n".join(lines) + "\n"


def _table(outcomes: Sequence[Outcome], device_bytes: int | None) -> Iterator[str]:
    verdict = "" if device_bytes is None else f"on {size(device_bytes)}"
    yield f"{'batch':>7}  {'allocated':>10}  {'reserved':>10}  {'whole process':<22} {verdict}".rstrip()
    for one in outcomes:
        if one.peak is None:
            yield f"{one.batch:>7}  {one.error}"
            continue
        least, most = needed_bytes(one.peak)
        said = "" if device_bytes is None else verdict_of(one.peak, device_bytes)
        peak, span = one.peak, f"{size(least)} to {size(most)}"
        yield (
            f"{one.batch:>7}  {size(peak.allocated_bytes):>10}  {size(peak.reserved_bytes):>10}  "
            f"{span:<22} {said}"
        ).rstrip()
        if one.error:
            yield f"{'':>7}  until {one.error}"
        elif not one.steps:
            yield f"{'':>7}  without a step of an optimizer"


def _holders(outcome: Outcome) -> Iterator[str]:
    peak = outcome.peak
    assert peak is not None
    yield f"The peak of batch size {outcome.batch}: {_moment(peak)}"
    if peak.running:
        inside = size(peak.running_bytes - peak.requested_bytes)
        yield f"  on the CPU {peak.running} takes {inside} above it, inside, while it runs"
    for head, rows in (
        ("by kind", peak.kinds),
        ("by module", _named(peak.modules, "outside all forwards")),
        ("by line", _named(peak.lines, "no line of the program's")),
    ):
        yield f"  {head}"
        yield from _rows(rows)


def _moment(peak: Peak) -> str:
    device = f" of GPU {peak.device}" if peak.device else ""
    return f"in the {peak.phase} of step {peak.step}{device}, at {peak.line or 'no line of the program'}"


def _named(rows: Mapping[str, int], nothing: str) -> dict[str, int]:
    return {name or nothing: held for name, held in rows.items()}


def _rows(rows: Mapping[str, int]) -> Iterator[str]:
    for name, held in sorted(rows.items(), key=lambda row: -row[1]):
        yield f"    {size(held):>10}  {name}"


def _growth(outcomes: Sequence[Outcome], device_bytes: int | None) -> Iterator[str]:
    growth = growth_of(outcomes)
    if growth is None:
        return
    yield ""
    if growth.allocated.per_sample_bytes <= 0:
        yield "The peak does not grow with the batch size: see whether the program uses it."
        return
    said = f"Each sample adds {size(round(growth.allocated.per_sample_bytes))} to what is allocated"
    if device_bytes is None:
        yield f"{said}."
        return
    least, most = growth.largest_batches(device_bytes)
    yield (
        f"{said}: {count(least, 'sample')} should fit, and {most:,} may."
        if least
        else (f"{said}: up to {count(most, 'sample')} may fit, and no number surely does.")
    )
