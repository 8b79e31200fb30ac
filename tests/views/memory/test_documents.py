"""Files beside windows, as the page of memory shows them."""

from __future__ import annotations

import dataclasses

from tbprof.model import MEMORY_KINDS, MemoryStep
from tbprof.snapshot import Snapshot
from tbprof.views.memory_documents import memory_step_document, snapshot_document


def test_a_followed_step_has_a_stack_of_the_kinds_that_were_there() -> None:
    held = {"parameters": 600, "gradients": 400}
    sizes = tuple(held.get(kind, 0) for kind in MEMORY_KINDS)
    early = tuple(600 if kind == "parameters" else 0 for kind in MEMORY_KINDS)
    step = MemoryStep(
        schema=1,
        worker="w",
        step=3,
        device="GPU 0",
        peak_bytes=1000,
        peak_us=5.0,
        phase="backward",
        kinds=tuple(zip(MEMORY_KINDS, sizes, strict=True)),
        modules=(("encoder", 700), ("", 300)),
        lines=(("train.py(7): main", 1000),),
        curve=((0.0, *early), (5.0, *sizes)),
        cached_bytes=None,
        is_whole=True,
    )
    shown = memory_step_document(step)
    assert shown.headline.startswith("1.0\u202fkB of tensors on GPU 0 at the peak, in the backward")
    assert shown.stack is not None
    assert dict(zip(shown.stack.kinds, shown.stack.held_bytes, strict=True)) == {
        "parameters": (600, 600),
        "gradients": (0, 400),
    }
    cached = memory_step_document(
        dataclasses.replace(step, cached_curve=(500, 100), cached_at_peak_bytes=100)
    )
    assert cached.stack is not None
    assert (cached.stack.kinds[-1], cached.stack.held_bytes[-1]) == ("cached, unused", (500, 100))
    assert cached.parts[0].sentences == ("100\u202fB lay unused in torch's cache at the peak.",)
    by_kind, by_module, by_line = shown.parts
    assert [(row.name, row.share) for row in by_kind.rows] == [("parameters", 0.6), ("gradients", 0.4)]
    assert by_module.rows[1].name == "no module"
    assert by_line.rows[0].bytes == 1000


def test_an_empty_snapshot_says_so() -> None:
    assert snapshot_document(Snapshot("a.pickle", ())).headline.startswith("Nothing is allocated")
