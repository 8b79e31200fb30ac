"""The file that a Triton kernel of torch.compile was made in, and the block sizes that it runs with."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.facts import Facts
from tbprof.analysis.operators.operators import find_operators
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s


@dataclass(frozen=True, slots=True)
class Compiled:
    file: str | None
    """Of Inductor's output; it is on the machine that recorded."""
    block_sizes: str | None
    """What autotuning chose, as `XBLOCK=2,R0_BLOCK=2048`."""


def compiled_kernels(
    facts: Facts, kernels: Int64s, length: Int64s, at: Int64s, count: int
) -> list[Compiled | None]:
    """By group the one with most time, of equal ones any; None where the call that launched says nothing.

    Args:
        facts: Of the window.
        kernels: Positions in `Facts.work`.
        length: How long each ran.
        at: Group of each, from 0 on.
        count: Of the groups.
    """
    found: list[Compiled | None] = [None] * count
    table = facts.trace.kernels
    if table is None or not len(table.kernel_file.rows):
        return found
    operators = facts.once(find_operators)
    calls = operators.of_work[kernels]
    rows = np.where(calls == NONE, NONE, operators.rows[calls])
    keys = np.stack([at, table.kernel_file.at(rows), table.kernel_kwargs.at(rows)], axis=1)
    distinct, which = distinct_lines(keys)
    spent = np.zeros(len(distinct), np.int64)
    np.add.at(spent, which, length)
    for group, file, block_sizes in distinct[np.argsort(spent, kind="stable")].tolist():
        if file != NONE:
            found[group] = Compiled(_text(facts, file), _text(facts, block_sizes))
    return found


def _text(facts: Facts, name: int) -> str | None:
    return None if name == NONE else facts.trace.names[name] or None
