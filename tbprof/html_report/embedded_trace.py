"""What a page carries of a window's trace, which is read once for all of it."""

from __future__ import annotations

from typing import Any

from tbprof.errors import TbprofError
from tbprof.html_report.embedded_tables import embedded_tables
from tbprof.html_report.embedded_timeline import embedded_timeline
from tbprof.report import Timeline, open_facts
from tbprof.views.tables.pages import PAGE_TABLES


def embedded_trace(path: str) -> dict[str, Any]:
    """One step of its timeline, and its tables; nothing where the file gives nothing."""
    try:
        facts = open_facts(path, tables=PAGE_TABLES, use_cache=True)
    except (TbprofError, OSError):
        return {}
    return {"timeline": embedded_timeline(Timeline(facts)), "tables": embedded_tables(facts)}
