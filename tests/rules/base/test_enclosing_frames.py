"""Whether calls lie in Python frames of some name."""

from __future__ import annotations

import numpy as np
from trace_builder import TraceBuilder

from tbprof.rules.copies.cpy05_list_upload import lie_in_frames


def test_the_whole_episode_lies_in_a_frame_of_that_name_at_any_depth() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.frame("outer", 90, 400)
    built.frame("inner", 95, 300)
    for start in (100, 200, 295, 500):
        built.synchronize("cudaEventSynchronize", start, start + 20)
    facts = built.facts()
    members = np.arange(4)
    assert lie_in_frames(facts, members, "outer").tolist() == [True, True, True, False]
    assert lie_in_frames(facts, members, "inner").tolist() == [True, True, False, False]
    assert lie_in_frames(facts, members, "nner").tolist() == [False] * 4
