"""How the files of a window end, and the rank that a worker's name tells.

    <worker>.<time>.trace.json.gz    a raw trace that tbprof published
    <worker>.<time>.tbprof.pb        its report
    <worker>.<time>.facts.json       what the hook knows of it, until it is published
    <worker>.<time>.inputs.json      two steps after it with what operators are given, until then
    <worker>.<time>.memory_step.json what held memory in a step after a window
    <worker>.<time>.out_of_memory.json  what the hook knows of an allocation that failed
    <worker>.<time>.memory_step.pickle, .out_of_memory.pickle  torch's allocator of a GPU at that moment
    <worker>.<time>.run_time.json    where the time of a whole run went, since the start at that time
    <worker>.<time>.broken           a trace that cannot be published

`window_names` takes such a name apart. And by the name of its folder, which runs are of one program.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

REPORT_SUFFIX = ".tbprof.pb"
RAW_SUFFIX = ".trace.json.gz"
FACTS_SUFFIX = ".facts.json"
INPUTS_SUFFIX = ".inputs.json"
MEMORY_STEP_SUFFIX = ".memory_step.json"
OUT_OF_MEMORY_SUFFIX = ".out_of_memory.json"
MEMORY_STEP_SNAPSHOT_SUFFIX = ".memory_step.pickle"
OUT_OF_MEMORY_SNAPSHOT_SUFFIX = ".out_of_memory.pickle"
RUN_TIME_SUFFIX = ".run_time.json"
BROKEN_SUFFIX = ".broken"
CLASSIC_SUFFIX = ".pt.trace.json.gz"
"""The only names that torch-tb-profiler looks for; those of raw traces that tbprof publishes differ."""

PIN_NAME = "tbprof.pin"
"""A run with a file of that name keeps everything."""

PROCESS_NAME = re.compile(r"(?P<host>.+)-(?P<space>\w+\.\d+)-(?P<pid>\d+)-(?P<start>\d+)(?:\.\d+)?")
"""The name of a hook's folder in the spool: see `hook.spool.processes`."""

_RUN_IN_SPOOL = re.compile("[0-9a-f]{16}")
"""The name of the folder above it: a digest of the log directory."""

_RANK = re.compile(r"(?:^|[^a-z])rank[_-]?(\d+)", re.IGNORECASE)


def rank_of(worker: str) -> int | None:
    """The rank that a worker's name tells, as in `node1_77_rank3` or `rank0_trace`."""
    found = _RANK.search(worker)
    return None if found is None else int(found[1])


def lies_in_spool(trace: Path) -> bool:
    """Whether a hook put it there: by the names of folders, since a hook may have been given any place."""
    pairs = pairwise(trace.absolute().parents)
    return any(PROCESS_NAME.fullmatch(own.name) and _RUN_IN_SPOOL.fullmatch(run.name) for own, run in pairs)


_NUMBERS = re.compile(r"\b[0-9a-f]*[0-9][0-9a-f]{5,}\b|[0-9]+")
"""What differs between runs of one program: digests, dates and counters."""


def run_family(run: str) -> str:
    """The same of runs in one folder whose names differ in their numbers only."""
    folder, slash, name = run.rpartition("/")
    return folder + slash + _NUMBERS.sub("#", name.lower())
