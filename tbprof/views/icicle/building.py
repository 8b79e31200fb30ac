"""The records of the flame graph from a window's facts."""

from __future__ import annotations

from tbprof.analysis.attribution.annotations import module_name
from tbprof.analysis.attribution.call_chains import library_of
from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.ranges.icicle import Icicle, cut_icicle
from tbprof.analysis.ranges.kinds import ICICLE_KINDS, IcicleKind, recorded_ranges
from tbprof.texts.screens.icicle import kind_missing
from tbprof.trace.columns.arrays import NONE
from tbprof.views.base.times import us
from tbprof.views.icicle.icicle import IcicleChoice, IcicleNode, IcicleView

__all__ = ["MAX_NODES", "icicle_view"]

MAX_NODES = 2_000
"""About as many as a screen has room for; the rest is folded, and said so."""


def icicle_view(facts: Facts, wanted: str) -> IcicleView:
    """The flame graph by `wanted`, or by the first kind that was recorded where that one was not."""
    recorded = recorded_ranges(facts.trace)
    kind: IcicleKind = next(
        (kind for kind in ICICLE_KINDS if kind == wanted and kind in recorded),
        next(iter(recorded), ICICLE_KINDS[0]),
    )
    nodes: tuple[IcicleNode, ...] = ()
    steps = 0
    if kind in recorded:
        icicle = cut_icicle(facts, recorded[kind], max_nodes=MAX_NODES)
        steps = int(icicle.calls[0])
        nodes = _nodes(facts.trace.names, icicle, kind)
    return IcicleView(
        kind=kind,
        kinds=tuple(
            IcicleChoice(each, "" if each in recorded else kind_missing(each)) for each in ICICLE_KINDS
        ),
        steps=steps,
        marks_steps=facts.steps.recorded,
        has_device=facts.work.main_device is not None,
        nodes=nodes,
    )


def _nodes(names: tuple[str, ...], icicle: Icicle, kind: IcicleKind) -> tuple[IcicleNode, ...]:
    steps = max(int(icicle.calls[0]), 1)
    rows = zip(
        icicle.parent.tolist(),
        icicle.name.tolist(),
        (icicle.calls / steps).tolist(),
        icicle.host_ns.tolist(),
        icicle.device_ns.tolist(),
        icicle.folded.tolist(),
        strict=True,
    )
    return tuple(
        IcicleNode(
            name=_shown_name("" if name == NONE else names[name], kind),
            parent=None if parent == NONE else parent,
            calls=calls,
            host_us=us(host_ns) / steps,
            device_us=us(device_ns) / steps,
            folded=folded,
            is_own=name != NONE and _is_own(names[name], kind),
        )
        for parent, name, calls, host_ns, device_ns, folded in rows
    )


def _shown_name(name: str, kind: IcicleKind) -> str:
    return module_name(name) if kind == "module" else name


def _is_own(name: str, kind: IcicleKind) -> bool:
    if kind in ("module", "label"):
        return True
    frame = parse_frame(name, exact=False)
    return frame is not None and library_of(frame.file) is None
