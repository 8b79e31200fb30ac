"""Where the host was in a step beside the recorded ones, by samples of its Python stack."""

from __future__ import annotations

from collections import defaultdict

from tbprof.analysis.attribution.op_chains import called_from
from tbprof.analysis.facts import Facts
from tbprof.model import SampledLine, Source
from tbprof.records import dataclass

FEWEST_SAMPLES = 20
"""With as many, a share of one half is off by 11 points or less two times in three."""

_MOST = 0.3
"""The share of the time from which a line is the place of it."""


@dataclass(frozen=True, slots=True)
class SampledPlace:
    """The line with most of the time in which torch ran no operator."""

    place: str
    """Its `file:line function`, with what it calls in a library."""
    share: float
    """The part of that time that lies there."""
    samples: int
    """How many the share is of."""


def sampled_place(facts: Facts, within: str) -> SampledPlace | None:
    """The program's own line with most of the samples that lie `within`: IN_LOADER, or "" outside of loaders.

    None where there are few samples, or no line has much of them.
    """
    audit = None if facts.trace.facts is None else facts.trace.facts.audit
    lines = () if audit is None else [line for line in audit.samples if line.within == within]
    samples, all_ns = sum(line.count for line in lines), sum(line.time_ns for line in lines)
    if samples < FEWEST_SAMPLES:
        return None
    of_own: defaultdict[Source, list[SampledLine]] = defaultdict(list)
    for line in lines:
        of_own[line.caller or _source(line)].append(line)
    own, most = max(of_own.items(), key=lambda item: sum(line.time_ns for line in item[1]))
    share = sum(line.time_ns for line in most) / max(all_ns, 1)
    if share < _MOST:
        return None
    innermost = max(most, key=lambda line: line.time_ns)
    frames = [own] if innermost.caller is None else [_source(innermost), own]
    return SampledPlace(called_from(frames), share, samples)


def _source(line: SampledLine) -> Source:
    return Source(line.file, line.line, line.function, exact=True, candidates=())
