"""Programs that were timed on a device with each wait and without it, beside their traces.

A recording is a folder with `truth.json`, which lists the pairs: for each a trace in which a label
`site:NAME:KIND` stands around every site, the step time of the whole program without a profiler, and
what the step gets shorter by without each site and without all of them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hook_scenes import hook_facts
from prediction import ALL_SITES, Prediction

from tbprof.analysis.attribution.annotations import find_labels
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.model import Removal, Saving
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.importers.kineto.reader import read_trace

_REMOVALS: Mapping[str, Removal] = {"defer": "defer", "drop": "drop", "keep": "hoist", "rewrite": "rewrite"}
"""By the words of a recording; what is kept on the device is no longer uploaded."""
_MOST_FIRST: tuple[Removal, ...] = ("rewrite", "hoist", "drop", "defer")


@dataclass(frozen=True, slots=True)
class PairSite:
    name: str
    label: str
    removal: Removal


@dataclass(frozen=True, slots=True)
class MeasuredSaving:
    """Of one step: the median over the rounds of whole less without, and two standard errors of it.

    The standard error of a median is 1.253 times that of the mean: the deviation of the differences over the
    root of their number. How far the whole program alone differs is too little: a difference has two times.
    """

    saving_ns: int
    noise_ns: int


@dataclass(frozen=True, slots=True)
class Pair:
    """One program: `truths` by the name of a site, and "all"."""

    name: str
    trace: Path
    step_ns: int
    sites: tuple[PairSite, ...]
    truths: Mapping[str, MeasuredSaving]


def read_pairs(folder: Path) -> tuple[Pair, ...]:
    """The pairs of a recording that have both times and a trace."""
    recorded = json.loads((folder / "truth.json").read_text(encoding="utf-8"))["pairs"]
    return tuple(_pair(folder, each) for each in recorded if each["savings"] and each["trace"])


def judge_pair(pair: Pair, *, is_profiled: bool = True) -> Iterator[Prediction]:
    """What tbprof predicts for each site alone and for all of them, in time without a profiler.

    The traces of simulated programs are not profiled: there the length of a step is that of the trace.
    """
    unprofiled = hook_facts(recorded_steps=0, unprofiled_step_ns=pair.step_ns if is_profiled else None)
    facts = Facts(dataclasses.replace(read_trace(pair.trace), facts=unprofiled))
    if not facts.work.devices:
        return
    members = [_members(facts, site.label) for site in pair.sites]
    for number, (site, chosen) in enumerate(zip(pair.sites, members, strict=True)):
        yield _prediction(facts, pair, number, chosen, site.removal)
    everything = np.unique(np.concatenate(members))
    # What is said of all allows each the most that its own removal wins.
    removals = {site.removal for site in pair.sites}
    most = next(each for each in _MOST_FIRST if each in removals)
    kept = [chosen for site, chosen in zip(pair.sites, members, strict=True) if site.removal == "hoist"]
    hoisted = np.unique(np.concatenate([everything[:0], *kept]))
    yield _prediction(facts, pair, ALL_SITES, everything, "drop" if most == "hoist" else most, hoisted)


def _pair(folder: Path, recorded: Mapping[str, Any]) -> Pair:
    sites = (PairSite(each["id"], each["label"], _REMOVALS[each["removal"]]) for each in recorded["sites"])
    times = recorded["times"]
    return Pair(
        name=recorded["pair"],
        trace=folder / recorded["trace"],
        step_ns=_ns(times["full"]["wall"]["median"]),
        sites=tuple(sites),
        truths={
            name: MeasuredSaving(_ns(truth["saving_ms"]["median"]), _noise_ns(times["full"], times[name]))
            for name, truth in recorded["savings"].items()
        },
    )


def _noise_ns(whole: Mapping[str, Any], without: Mapping[str, Any]) -> int:
    """Of rounds of which each timed both programs."""
    differences = np.subtract(whole["wall_rounds"], without["wall_rounds"])
    return _ns(2 * 1.253 * float(np.std(differences, ddof=1)) / len(differences) ** 0.5)


def _members(facts: Facts, label: str) -> Int64s:
    """Positions of the episodes inside a label's ranges."""
    labels = find_labels(facts.trace, facts.calls, facts.episodes.first)
    names = facts.trace.names
    return np.flatnonzero(labels == names.index(label)) if label in names else np.empty(0, np.int64)


def _prediction(
    facts: Facts, pair: Pair, site: int, chosen: Int64s, removal: Removal, hoisted: Int64s | None = None
) -> Prediction:
    truth = pair.truths["all" if site == ALL_SITES else pair.sites[site].name]
    profiled_ns = int((facts.steps.end_ns - facts.steps.start_ns).sum())
    saving = saving_of(facts, chosen, removal, hoisted)
    scale = pair.step_ns / profiled_ns
    return Prediction(
        site=site,
        predicted=Saving(
            floor_ns=round(saving.floor_ns * scale),
            estimate_ns=None if saving.estimate_ns is None else round(saving.estimate_ns * scale),
            ceiling_ns=round(saving.ceiling_ns * scale),
        ),
        true_ns=truth.saving_ns,
        window_ns=pair.step_ns,
        noise_ns=truth.noise_ns,
    )


def _ns(ms: float) -> int:
    return round(ms * 1e6)
