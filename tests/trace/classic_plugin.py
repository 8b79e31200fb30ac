"""Copies in the classic dialect, and what the unmodified torch-tb-profiler makes of a file."""

from __future__ import annotations

import gzip
import json
import logging
import tempfile
from pathlib import Path
from typing import Any

from torch_tb_profiler.profiler.data import RunProfileData
from torch_tb_profiler.profiler.event_parser import ProfileRole
from torch_tb_profiler.profiler.op_agg import OperatorAgg
from trace_builder import TraceBuilder

from tbprof.trace.export.classic_writer import write_classic


def copy_of(source: Path | TraceBuilder) -> dict[str, Any]:
    """The classic copy of a file, or of the file that a builder writes."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(source, TraceBuilder):
            source = source.write(Path(folder, "host_1.1000.pt.trace.json"))
        target = Path(folder, "copy.gz")
        with target.open("wb") as file:
            write_classic(source, file)
        copy: dict[str, Any] = json.loads(gzip.decompress(target.read_bytes()))
    return copy


def shown(document: dict[str, Any]) -> RunProfileData:
    """What the plugin makes of a file."""
    logging.getLogger("torch_tb_profiler").setLevel(logging.CRITICAL)
    return RunProfileData.from_json("worker", None, document)


def shown_of(source: Path | TraceBuilder) -> RunProfileData:
    """What the plugin makes of the copy of a file."""
    return shown(copy_of(source))


def operators(profile: RunProfileData) -> dict[str, OperatorAgg]:
    """The plugin's table of operators, by name."""
    return {row.name: row for row in profile.op_list_groupby_name}


def costs(profile: RunProfileData) -> dict[str, float]:
    """The plugin's overview, in us, over all steps, without what is 0."""
    return {
        role.name: sum(step.costs[role] for step in profile.steps_costs)
        for role in ProfileRole
        if any(step.costs[role] for step in profile.steps_costs)
    }
