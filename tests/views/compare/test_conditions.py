"""What else is different between two windows, and what is not."""

from __future__ import annotations

import dataclasses

from report_samples import REPORT, changed

from tbprof.model import HookFacts, LoaderFacts, OptimizerFacts
from tbprof.views.comparison import alike, differences

assert REPORT.facts is not None
FACTS: HookFacts = REPORT.facts
LOADER = LoaderFacts("StreetScenes", 16, 4, pin_memory=False, prefetch_factor=None, persistent_workers=False)
ADAM = OptimizerFacts("AdamW", foreach=None, fused=None, capturable=None, groups=1, parameters=62)


def test_what_else_is_different_is_said() -> None:
    newer = changed(facts=dataclasses.replace(FACTS, torch_version="2.10.0"))
    [row] = differences(REPORT, newer)
    assert (row.name, row.before, row.after) == ("torch", "2.9.0", "2.10.0")
    assert alike(REPORT, newer) == ("devices", "CUDA or HIP", "recorded")


def test_loaders_and_optimizers_are_compared_by_their_options() -> None:
    before = changed(facts=dataclasses.replace(FACTS, loaders=(LOADER,), optimizers=(ADAM,)))
    pinned = dataclasses.replace(LOADER, pin_memory=True)
    after = changed(facts=dataclasses.replace(FACTS, loaders=(pinned,), optimizers=(ADAM,)))
    [row] = differences(before, after)
    assert row.after == "StreetScenes: batch_size=16, num_workers=4, pin_memory=True"
    assert "optimizer" in alike(before, after)


def test_what_one_side_did_not_record_is_no_difference() -> None:
    assert differences(REPORT, changed(facts=None)) == ()
    assert alike(REPORT, changed(facts=None)) == ("devices",)
