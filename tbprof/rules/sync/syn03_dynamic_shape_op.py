"""An op reads back from the device how large its result is.

What
    `x[mask]`, `x[mask] = y`, `nonzero`, `torch.where(condition)`, `unique`, `masked_select`,
    `repeat_interleave` and `nms` give as many rows as the data says. The op counts them on the
    device, and the host stops until the count has come back.

Why
    Nothing after the op can be launched before its shape is known. The host loses its lead, and
    the device runs dry until new work arrives. Such an op also rules out CUDA graphs for the step.

Example
    before:
        loss = per_pixel[mask].mean()
        x[mask] = value
        rows = torch.repeat_interleave(x, counts)
    after:
        loss = (per_pixel * mask).sum() / mask.sum().clamp(min=1)
        x = torch.where(mask, value, x)
        rows = torch.repeat_interleave(x, counts, output_size=total)

Action
    Keep the size of this result fixed.

Fix
    Keep the shape and blend with the mask, use `torch.nonzero_static` or pass the size where
    the host knows it, and let a loss leave out pixels by its `ignore_index`.
    caveat: the masked form computes all rows; it pays where the device stayed dry for longer
    than that takes.

Silent
    Not reported for ops that get their size from the host, or that run on the host. Only `info` if the GPU
    rarely runs out of work.
"""

from __future__ import annotations

from collections.abc import Iterator

from tbprof.analysis.facts import Facts
from tbprof.model import Finding
from tbprof.optable import SHAPE_READERS
from tbprof.rules.base.evidence import is_read
from tbprof.rules.base.findings import site_finding
from tbprof.rules.base.passing import sync_points
from tbprof.rules.base.rule import Rule
from tbprof.rules.sync.words import DynamicShape

_CODE = "SYN03"
_INDEXING = frozenset({"aten::index", "aten::index_put_", "aten::index_put"})


def find(facts: Facts) -> Iterator[Finding]:
    """One finding a site, with the op that the user called."""
    for index, site in facts.indexed_sites:
        if is_read(site) and not SHAPE_READERS.isdisjoint(site.ops):
            figures = DynamicShape(op=_called(site.ops))
            yield site_finding(facts, index, rule=_CODE, removal="rewrite", figures=figures)


def _called(ops: tuple[str, ...]) -> str:
    """The outermost op whose shape depends on the data; indexing by a mask is one."""
    return [op for op in ops if op in SHAPE_READERS or op in _INDEXING][-1]


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("waits",),
    find=find,
    passing=sync_points,
    kind="dynamic_shape",
    before=("SYN02",),
)
