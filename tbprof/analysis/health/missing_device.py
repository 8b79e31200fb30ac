"""Why a trace holds no work of a GPU: none ran, its rows are lost or cut off, or no GPU ran it."""

from __future__ import annotations

from tbprof.analysis.arrays.names import matching_names, matching_rows
from tbprof.analysis.device.allocating_devices import (
    allocating_devices,
    device_name,
    holds_only_allocations,
)
from tbprof.analysis.facts import Facts
from tbprof.model import Verdict
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import OTHER_ACCELERATORS

_LAUNCH = r"(?:cuda|hip)Launch|cuLaunch|hipModuleLaunch|hipExt\w*Launch|(?:cuda|hip)GraphLaunch"


def missing_device(facts: Facts) -> Verdict:
    """`other_device` where another kind worked, `cut_off` where the file ends before its time, `lost_kernels`
    where calls launched some, `only_allocations` where nothing else was recorded, or `no_device`.
    """
    for category in OTHER_ACCELERATORS:
        rows = int((facts.trace.slices.category == category).sum())
        if rows:
            return Verdict("other_device", {"device": category.name, "rows": rows})
    if facts.trace.is_cut_off:
        return Verdict("cut_off", {})
    calls = len(matching_rows(facts.trace, _LAUNCH, Category.RUNTIME))
    if calls:
        return Verdict("lost_kernels", {"launches": calls, "without": calls})
    memory = facts.trace.memory
    if memory is not None and holds_only_allocations(facts.trace):
        names = (device_name(kind, number) for kind, number in allocating_devices(memory))
        return Verdict("only_allocations", {"events": len(memory), "devices": ", ".join(names)})
    return Verdict("no_device", {})


def lacks_device_rows(facts: Facts) -> bool:
    """Whether the host's rows are whole and none of a device are there, whether one worked or not."""
    if facts.work.main_device is not None:
        return False
    return missing_device(facts).case in ("no_device", "lost_kernels")


_ON_DEVICE = r"(?:nccl|rccl):|aten::(?:record_stream$|cudnn_|miopen_)"
"""Ranges and ops that only a program with a GPU has."""


def runs_on_host(facts: Facts) -> bool:
    """Whether the window is whole and nothing in it ran on a device, or was meant to."""
    if facts.work.main_device is not None or missing_device(facts).case != "no_device":
        return False
    return not matching_names(facts.trace, _ON_DEVICE).any()
