"""Why a flame graph is not offered by something."""

from __future__ import annotations

__all__ = ["kind_missing"]

_MISSING = {
    "function": "No Python stacks were recorded: record with `with_stack=True`.",
    "operator": "No operators were recorded: record with `ProfilerActivity.CPU`.",
    "module": "No modules were recorded: record with `with_stack=True`.",
    "label": "No labels were recorded: put `record_function` around parts of the step.",
}


def kind_missing(kind: str) -> str:
    """What was not recorded, and how it is."""
    return _MISSING[kind]
