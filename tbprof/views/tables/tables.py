"""All tables of a trace, by name: what each reads of it, and who makes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.kernel_table import KERNEL_TABLES
from tbprof.analysis.figures.memory_blocks import MEMORY_TABLES
from tbprof.analysis.figures.module_table import MODULE_TABLES
from tbprof.analysis.figures.operator_grouping import GROUPING_TABLES
from tbprof.records import dataclass
from tbprof.trace.columns.tables import Tables
from tbprof.views.tables.cells import Table
from tbprof.views.tables.collectives import collectives
from tbprof.views.tables.kernels import kernels
from tbprof.views.tables.memory import allocations, memory
from tbprof.views.tables.modules import modules
from tbprof.views.tables.operators import operators


class TableMaker(Protocol):
    def __call__(self, facts: Facts, by: str, *, in_steps: bool) -> Table:
        """The table of the whole trace, or of its steps.

        Raises:
            UsageError: It can't be grouped by that.
        """


@dataclass(frozen=True, slots=True)
class TableSource:
    reads: Tables
    """Optional tables of the trace."""
    make: TableMaker


TABLES: Mapping[str, TableSource] = {
    "operators": TableSource(FACTS_TABLES | GROUPING_TABLES, operators),
    "kernels": TableSource(FACTS_TABLES | KERNEL_TABLES, kernels),
    "modules": TableSource(FACTS_TABLES | MODULE_TABLES, modules),
    "collectives": TableSource(FACTS_TABLES, collectives),
    "memory": TableSource(FACTS_TABLES | GROUPING_TABLES | MEMORY_TABLES, memory),
    "allocations": TableSource(FACTS_TABLES | MEMORY_TABLES, allocations),
}
