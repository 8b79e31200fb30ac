"""The records of the roofline from a window's facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_limits import BYTES_A_NS, FLOPS_A_NS
from tbprof.analysis.figures.roofline import Point, Roofline, find_roofline
from tbprof.texts.figures.computing import PART_NAMES, roof_label, roofline_missing, roofline_sentence
from tbprof.trace.columns.arrays import listed
from tbprof.views.roofline import Roof, RooflinePoint, RooflineView
from tbprof.views.steady import optional_us, us

MOST_POINTS = 400
"""More than this cannot be distinguished."""

_Rate: TypeAlias = tuple[float, bool]
"""TFLOP/s, and whether they are those of matrix units."""


def roofline_view(facts: Facts, *, in_steps: bool) -> RooflineView:
    """The roofline of the steps, where they are asked for and marked; else of the whole trace."""
    in_steps = in_steps and facts.steps.recorded
    found = find_roofline(facts, in_steps=in_steps)
    peaks, shown, more = found.peaks, found.points[:MOST_POINTS], found.points[MOST_POINTS:]
    slope = None if peaks is None else peaks.terabytes_s
    roofs = {} if slope is None else _roofs(shown)
    return RooflineView(
        scope="steps" if in_steps else "trace",
        marks_steps=facts.steps.recorded,
        device=None if peaks is None else peaks.name,
        source="" if peaks is None else peaks.source,
        memory_tb_s=slope,
        roofs=tuple(
            Roof(roof_label(types, on_matrix_units=units), tflops, tflops / (slope or 1))
            for (tflops, units), types in roofs.items()
        ),
        sentence=_sentence(found, len(facts.steps) if in_steps else None),
        missing="" if found.points else _missing(facts),
        device_us=us(found.device_ns),
        covered_us=us(found.covered_ns),
        points=tuple(_point(point, found.device_ns, slope, [*roofs]) for point in shown),
        more_points=len(more),
        more_us=us(sum(point.device_ns for point in more)),
    )


def _roofs(points: tuple[Point, ...]) -> dict[_Rate, list[str]]:
    """The types that have each rate, of those that occur; the highest rate first."""
    types: dict[_Rate, list[str]] = {}
    for point in points:
        if point.peak_tflops is not None and point.flops:
            known = types.setdefault((point.peak_tflops, point.on_matrix_units), [])
            known += [point.dtype] if point.dtype not in known else []
    return dict(sorted(types.items(), reverse=True))


def _point(point: Point, device_ns: int, terabytes_s: float | None, rates: Sequence[_Rate]) -> RooflinePoint:
    rate = (point.peak_tflops or 0.0, point.on_matrix_units)
    above = point.above_limit_ns
    return RooflinePoint(
        name=point.name,
        shapes=" x ".join(str(shape) for shape in listed(point.shapes) if shape),
        kind=PART_NAMES[point.family],
        row=point.row,
        calls=point.calls,
        device_us=us(point.device_ns),
        share=point.device_ns / max(device_ns, 1),
        flops_per_byte=point.flops / point.bytes,
        tflops=point.flops / point.device_ns / FLOPS_A_NS,
        tb_s=point.bytes / point.device_ns / BYTES_A_NS,
        roof=rates.index(rate) if rate in rates else None,
        bound=_bound(point, terabytes_s),
        share_of_limit=None if above is None else 1 - above / point.device_ns,
        above_limit_us=optional_us(above),
    )


def _bound(point: Point, terabytes_s: float | None) -> Literal["memory", "computing"] | None:
    if terabytes_s is None or point.limit_ns is None:
        return None
    if point.peak_tflops is None:
        return "memory"
    return "memory" if point.flops * terabytes_s < point.bytes * point.peak_tflops else "computing"


def _sentence(found: Roofline, steps: int | None) -> str:
    """The operator with most time above its limit, whatever its inputs; "" where no limit is known."""
    took, above = Counter[str](), Counter[str]()
    for point in found.points:
        if point.above_limit_ns is not None:
            took[point.name] += point.device_ns
            above[point.name] += point.above_limit_ns
    if not above.total():
        return ""
    ((name, ns),) = above.most_common(1)
    device_ns = max(found.device_ns, 1)
    return roofline_sentence(
        name,
        1 - ns / took[name],
        us(ns) / (steps or 1),
        ns / device_ns,
        covered_share=found.covered_ns / device_ns,
        a_step=steps is not None,
    )


def _missing(facts: Facts) -> str:
    return roofline_missing(
        has_device=bool(facts.work.devices), has_shapes=len(facts.trace.input_shapes.rows) > 0
    )
