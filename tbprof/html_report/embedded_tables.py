"""The tables of a window that travel inside a page: their largest rows."""

from __future__ import annotations

import dataclasses
from typing import Any

from tbprof.report import Facts
from tbprof.views.tables.pages import page_of

MOST_ROWS = 200
"""Of a table; they have nearly all of the time, and take some 20 KB."""

_TABLES = ("operators", "kernels")


def embedded_tables(facts: Facts) -> dict[str, Any]:
    """What the plugin's route would answer of each, by name; `facts` with `PAGE_TABLES`."""
    return {
        name: dataclasses.asdict(page_of(facts, name, "name", in_steps=True, most_rows=MOST_ROWS))
        for name in _TABLES
    }
