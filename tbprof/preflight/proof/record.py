"""What one run of a side leaves: a document with a version, written by its process."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from tbprof.errors import UsageError
from tbprof.preflight.prediction import Prediction
from tbprof.records import dataclass

VERSION = 2

Role: TypeAlias = Literal["parameter", "buffer", "gradient", "optimizer state", "weights kept aside"]

SAVED = "the content saved"
"""Begins the words of what was saved; its figure is a digest."""

ZERO = "0"
"""The digest of a tensor that is zero everywhere, and of a gradient that is not there."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is asked to run."""

    program: str
    arguments: tuple[str, ...]
    is_module: bool
    root: str
    """The folder in which the side lies, whole."""
    original: str
    """The folder that it was made from, which the run must leave alone."""
    folder: str
    """Where it runs, in `root`."""
    links: tuple[str, ...]
    """Folders of the user's that it may write to."""
    steps: int
    step_on: str | None
    time_limit: float
    record: str
    values: str
    """The file that takes values of tensors."""
    values_from: int | None
    """The first step whose values are written; None for the first that differs from `against`."""
    against: str
    """The record of the run that this one is compared with; "" for none."""
    threads: int | None
    """Another number of threads, and another order of reductions with it; None for the usual ones."""
    changed_from: tuple[str, str] = ("", "")
    """The folder and the script of the side before the change, for the run after it."""


@dataclass(frozen=True, slots=True)
class TensorState:
    role: Role
    name: str
    shape: tuple[int, ...]
    dtype: str
    digest: str
    place: str
    """`cuda:0`, `cpu`, or "" where it is not known."""
    at: int | None
    """Where its values begin in the file of values; None where they were not written."""


@dataclass(frozen=True, slots=True)
class StepState:
    """What was there at the end of one step."""

    tensors: tuple[TensorState, ...]
    numbers: dict[str, str]
    """Settings of optimizers, counts of schedulers and scalers, states of random generators, by name."""
    sums: dict[str, float]
    """What the program adds up from step to step."""
    line: str
    """The line that ended it."""
    losses: tuple[tuple[str, str], ...]
    """The line of each backward pass of the step, and the digest of what it began with."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What a DataLoader or the caller of a model gave."""

    step: int
    source: str
    samples: int
    digest: str
    training: bool


@dataclass(frozen=True, slots=True)
class Said:
    """Numbers of one line that was printed, or of one call of a tracker."""

    step: int
    words: str
    numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that no change may do."""

    kind: str
    source: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SideRecord:
    version: int
    prediction: Prediction
    steps: tuple[StepState, ...]
    batches: tuple[Batch, ...]
    inputs: tuple[Batch, ...]
    """What models with parameters were called with from outside."""
    said: tuple[Said, ...]
    operators: tuple[int, ...]
    """Operators with tensors of the device, by step; the first has the set-up as well."""
    world_size: int
    faults: tuple[Fault, ...]
    undetermined: tuple[str, ...]
    """What was asked that answers otherwise in each run, with the lines."""
    refused: tuple[str, ...]
    """What the program asked of the network or of the user's folder, and did not get."""
    from_outside: tuple[str, ...]
    """Modules that were imported from where the side was made from."""
    peak_bytes: int | None
    pinned: tuple[int, ...] = ()
    """How often the program itself pins memory, by step."""
    turns: tuple[int, str] = (1, "")
    """How often the loops around a step are to run, as their heads say it, and the line of the innermost."""
    unproved: tuple[str, ...] = ()
    """What of the changed code the run has not shown."""


def write_record(path: Path, record: SideRecord) -> None:
    path.write_bytes(msgspec.json.encode(record))


def read_record(path: Path) -> SideRecord | None:
    """The record of a run; None where it left none.

    Raises:
        UsageError: It is of another version of tbprof.
    """
    if not path.is_file():
        return None
    try:
        record = msgspec.json.decode(path.read_bytes(), type=SideRecord)
    except msgspec.DecodeError as error:
        raise UsageError(f"the record of a run can't be read: {error}") from error
    if record.version != VERSION:
        raise UsageError(f"the record of a run has version {record.version}; this tbprof reads {VERSION}")
    return record


def read_task(text: str) -> Task:
    return msgspec.json.decode(text, type=Task)


def task_text(task: Task) -> str:
    return msgspec.json.encode(task).decode()
