"""The records of the flame graph from a window's facts."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from tbprof.analysis.attribution.annotations import module_name
from tbprof.analysis.attribution.op_chains import library_of
from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.icicle import Icicle, cut_icicle
from tbprof.analysis.figures.program_ranges import ICICLE_KINDS, IcicleKind, recorded_ranges
from tbprof.texts.icicle import icicle_opening, kind_missing
from tbprof.trace.columns.arrays import NONE
from tbprof.views.icicle import IcicleChoice, IcicleNode, IcicleView
from tbprof.views.steady import us

MAX_NODES = 2_000
"""About as many as a screen has room for; the rest is folded, and said so."""

AS_GOOD_AS_WHOLE = 0.8
"""A part of this share says no more than what it lies in: the sentence names what lies in it."""

LEAST_NAMED = 0.1
"""A smaller part is not named in the sentence."""

_MOST_NAMED = 2


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
    of_step = facts.steps.recorded
    return IcicleView(
        kind=kind,
        kinds=tuple(
            IcicleChoice(each, "" if each in recorded else kind_missing(each)) for each in ICICLE_KINDS
        ),
        steps=steps,
        marks_steps=facts.steps.recorded,
        has_device=facts.work.main_device is not None,
        host_sentence=_opening([node.host_us for node in nodes], nodes, on_device=False, of_step=of_step),
        device_sentence=_opening([node.device_us for node in nodes], nodes, on_device=True, of_step=of_step),
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


def _opening(
    times_us: Sequence[float], nodes: Sequence[IcicleNode], *, on_device: bool, of_step: bool
) -> str:
    """The opening for the first node from the root on that does not lie in one part as good as whole."""
    if not nodes or not times_us[0]:
        return ""
    parts = _largest_parts(times_us, nodes, 0)
    while parts and times_us[parts[0]] >= AS_GOOD_AS_WHOLE * times_us[0]:
        inner = _largest_parts(times_us, nodes, parts[0])
        if not inner:
            break
        parts = inner
    said = [(nodes[at].name, times_us[at] / times_us[0]) for at in parts]
    return icicle_opening(times_us[0], said, on_device=on_device, of_step=of_step)


def _largest_parts(times_us: Sequence[float], nodes: Sequence[IcicleNode], parent: int) -> list[int]:
    inside = [at for at, node in enumerate(nodes) if node.parent == parent and not node.folded]
    largest = heapq.nlargest(_MOST_NAMED, inside, key=lambda at: times_us[at])
    return [at for at in largest if times_us[at] >= LEAST_NAMED * times_us[0]]


def _shown_name(name: str, kind: IcicleKind) -> str:
    return module_name(name) if kind == "module" else name


def _is_own(name: str, kind: IcicleKind) -> bool:
    if kind in ("module", "label"):
        return True
    frame = parse_frame(name, exact=False)
    return frame is not None and library_of(frame.file) is None
