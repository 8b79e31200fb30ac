"""Where and why a device was idle, in words."""

from __future__ import annotations

import dataclasses

from tbprof.analysis.device_idle import CAUSES
from tbprof.model import IdlePlace, Site, Source
from tbprof.texts.idle import cause_name, drain_sentence, place_name, site_location

SITE = Site(
    direction="DtoH",
    memory="pageable",
    calls=("cudaMemcpyAsync",),
    ops=("aten::copy_", "aten::to", "aten::cpu"),
    source=Source("/home/ana/train.py", 12, "train", exact=True, candidates=()),
    label=None,
    module=None,
    count=1,
    blocking=1,
    per_step=(),
    bytes=4,
    wait_ns=1,
    wait_net_ns=1,
    explained_ns=0,
    starve_ns=0,
    instance=None,
)


def place(cause: str, name: str) -> IdlePlace:
    return IdlePlace(cause, 1, name, site=None, drained_by=None)


def test_every_cause_of_the_analysis_has_words_of_its_own() -> None:
    names = {cause_name(cause) for cause in CAUSES}
    assert len(names) == len(CAUSES)
    assert names.isdisjoint(CAUSES)


def test_a_cause_of_another_version_is_called_by_its_code() -> None:
    assert cause_name("thermal_limit") == "thermal limit"


def test_idle_after_a_sync_names_its_line_and_what_the_host_did() -> None:
    assert place_name(place("sync", "metrics"), SITE) == 'after train.py:12, in record_function("metrics")'
    assert place_name(place("sync", ""), SITE) == "after train.py:12"


def test_a_place_that_was_not_recorded_says_so() -> None:
    assert place_name(place("launch", ""), None) == "place not recorded"


def test_a_loader_is_called_as_in_the_program() -> None:
    name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
    assert place_name(place("data", name), None) == "next(loader), in the training process"


def test_a_site_without_a_line_is_its_ops() -> None:
    without = dataclasses.replace(SITE, source=None)
    assert site_location(without) == "aten::copy_ \u2039 aten::to"
    assert site_location(dataclasses.replace(without, ops=())) == "cudaMemcpyAsync"


def test_a_drain_is_to_blame_for_idle_elsewhere() -> None:
    assert drain_sentence(SITE) == "exposed only because train.py:12 drained the queue"
