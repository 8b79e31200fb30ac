"""What the time of a window can be nested by, and which ranges of a trace each of them takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import numpy as np

from tbprof.analysis.attribution.annotations import label_rows, module_rows
from tbprof.analysis.attribution.sources import user_frames
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category, Trace

IcicleKind: TypeAlias = Literal["function", "operator", "module", "label"]

ICICLE_KINDS: tuple[IcicleKind, ...] = ("function", "operator", "module", "label")


def recorded_ranges(trace: Trace) -> Mapping[IcicleKind, Int64s]:
    """By kind the rows of its ranges; a kind of which nothing was recorded is left out.

    Functions are Python frames but torch's own, with the ops that they call.
    """
    ops = np.flatnonzero(trace.slices.category == Category.CPU_OP)
    frames = user_frames(trace)
    found: dict[IcicleKind, Int64s] = {
        "function": np.concatenate([frames, ops]) if len(frames) else frames,
        "operator": ops,
        "module": module_rows(trace),
        "label": label_rows(trace),
    }
    return {kind: rows for kind, rows in found.items() if len(rows)}
