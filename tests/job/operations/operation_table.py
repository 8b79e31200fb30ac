"""The operations of all ranks of a job, one entry for each of a step.

The columns are those of the tables published with "Understanding Stragglers in Large Model Training Using
What-if Analysis" (Lin et al., OSDI 2025).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tbprof.errors import JobError

COLUMNS = (
    "dp_rank",
    "stage",
    "rank",
    "step",
    "optype",
    "start_ts",
    "duration",
    "seq_id",
    "mc",
    "gmc",
)
"""What a table must have; times are in seconds."""


_TEXT = "optype"
_SECONDS = ("start_ts", "duration")
_ANY_SIGN = ("start_ts", "mc", "gmc")
"""A chunk of -1 is none."""

_MOST = 1_000_000_000.0
"""More than any rank, step or second."""

_MOST_ABSENT = 16
"""Times as many places as there are operations: of fewer, the first that is absent is named."""


@dataclass(frozen=True, slots=True, order=True)
class Operation:
    """What each replica does once in each step."""

    stage: int
    kind: str
    """As `forward-compute`."""
    number: int
    """Among those of the same kind in a step of the stage, from 0."""

    def __str__(self) -> str:
        return f"{self.kind} {self.number} of stage {self.stage}"


@dataclass(frozen=True, slots=True, eq=False)
class OperationTable:
    """Arrays have the shape (operations, replicas, steps). Seconds, from the start of each step."""

    operations: tuple[Operation, ...]
    chunk: tuple[int, ...]
    """Of each operation, the model chunk within its stage; -1 where it belongs to none."""
    steps: tuple[int, ...]
    ranks: npt.NDArray[np.int64]
    """By stage and replica, the global rank."""
    start: npt.NDArray[np.float32]
    duration: npt.NDArray[np.float32]

    @property
    def stages(self) -> int:
        return len(self.ranks)

    @property
    def replicas(self) -> int:
        return len(self.ranks[0])

    def of(self, stage: int, *kinds: str) -> list[int]:
        """Indexes of the operations of these kinds in a stage, by the first replica's first step in order."""
        chosen = [(at, one) for at, one in enumerate(self.operations) if one.stage == stage]
        timed = [
            (float(self.start[at, 0, 0]), one.number, one.kind, at) for at, one in chosen if one.kind in kinds
        ]
        return [at for *_, at in sorted(timed)]


def operation_table(columns: Mapping[str, npt.NDArray[np.generic]]) -> OperationTable:
    """Arrange the columns of a table.

    Raises:
        JobError: A column is missing or holds what no job has, or a step lacks an operation of others.
    """
    if missing := [name for name in COLUMNS if name not in columns]:
        raise JobError(f"the table of operations has no column {', '.join(missing)}")
    if len(columns["step"]) == 0:
        raise JobError("the table of operations is empty")
    columns = {name: _checked(name, columns[name]) for name in COLUMNS}
    steps, step = np.unique(columns["step"], return_inverse=True)
    replicas, replica = np.unique(columns["dp_rank"], return_inverse=True)
    kinds, kind = np.unique(columns["optype"], return_inverse=True)
    keys = np.stack([columns["stage"], kind, columns["seq_id"]], axis=1)
    distinct, first, operation = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    operation = operation.reshape(-1)
    operations = tuple(Operation(stage, str(kinds[at]), number) for stage, at, number in distinct.tolist())
    cell = (operation, replica, step)
    shape = (len(operations), len(replicas), len(steps))
    _check_each_is_once(cell, shape, operations, steps.tolist())
    if columns["gmc"].max() >= len(np.unique(columns["stage"])):
        raise JobError("the table is of a job with several model chunks a stage, which can't be replayed yet")
    start, duration = np.empty(shape, np.float32), np.empty(shape, np.float32)
    start[cell] = columns["start_ts"]
    duration[cell] = columns["duration"]
    stages = int(columns["stage"].max()) + 1
    if stages > len(step):
        raise JobError(f"stage {stages - 1} is more than there are operations")
    ranks = np.zeros((stages, len(replicas)), np.int64)
    ranks[columns["stage"], replica] = columns["rank"]
    return OperationTable(
        operations, tuple(columns["mc"][first].tolist()), tuple(steps.tolist()), ranks, start, duration
    )


def _checked(name: str, values: npt.NDArray[np.generic]) -> npt.NDArray[Any]:
    """A column as text, seconds or whole numbers.

    Raises:
        JobError: It holds something else, or what no job has.
    """
    if name == _TEXT:
        return values.astype(str)
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise JobError(f"column {name} holds something other than numbers") from error
    least = -_MOST if name in _ANY_SIGN else 0.0
    if not ((numbers >= least) & (numbers <= _MOST)).all():
        raise JobError(f"column {name} holds a number that is missing, too large or below 0")
    if name in _SECONDS:
        return numbers
    return numbers.astype(np.int64)


def _check_each_is_once(
    cell: tuple[npt.NDArray[np.int64], ...],
    shape: tuple[int, ...],
    operations: tuple[Operation, ...],
    steps: list[int],
) -> None:
    if (places := math.prod(shape)) > _MOST_ABSENT * len(cell[0]):
        raise JobError(
            f"of {places:,} places for operations only {len(cell[0]):,} are filled: each operation must be "
            "there once in each step of each replica"
        )
    counted = np.bincount(np.ravel_multi_index(cell, shape), minlength=places)
    if (counted == 1).all():
        return
    wrong = int(np.argmax(counted != 1))
    operation, replica, step = np.unravel_index(wrong, shape)
    raise JobError(
        f"{operations[operation]} is there {counted[wrong]} times in step {steps[step]} of replica "
        f"{replica}: each operation must be there once, so leave out such steps"
    )
