"""The machine-readable report: which keys it has, and what each value is."""

from __future__ import annotations

from typing import Any

# The type of each value of the machine-readable report: a list holds the type of its items, a
# set the types that a value may have, `dict[str, x]` any keys. Nothing may be missing or added.
TIME = float
SAVING = {"floor_us": TIME, "estimate_us": (TIME, None), "ceiling_us": TIME}
IDLE = {"device_us": TIME, "empty_us": TIME, "queued_us": TIME, "by_cause": dict[str, float]}
SCHEMA: Any = {
    "schema": int,
    "trace": {
        "path": str,
        "worker": str,
        "rank": (int, None),
        "world_size": (int, None),
        "devices": [str],
        "era": str,
        "span_us": TIME,
        "num_events": int,
        "health": [{"code": str, "severity": str, "message": str, "numbers": dict[str, object]}],
    },
    "steps": [
        {
            "name": str,
            "start_us": TIME,
            "duration_us": TIME,
            "cold": bool,
            "sync_points": int,
            "wait_us": TIME,
            "device_idle_us": (TIME, None),
            "idle_empty_us": (TIME, None),
            "gpu_lag_us": (TIME, None),
        }
    ],
    "sync_points": {
        "count": int,
        "wait_us": TIME,
        "wait_in_copy_us": TIME,
        "wait_in_sync_us": TIME,
        "explained_us": TIME,
        "profiler_own_us": [TIME],
    },
    "copies": [{"direction": str, "memory": str, "count": int, "bytes": int, "blocking": int}],
    "sites": [
        {
            "direction": str,
            "memory": str,
            "calls": [str],
            "ops": [str],
            "source": (
                {"file": str, "line": (int, None), "function": str, "exact": bool, "candidates": [int]},
                None,
            ),
            "label": (str, None),
            "module": (str, None),
            "count": int,
            "blocking": int,
            "per_step": [int],
            "bytes": int,
            "wait_us": TIME,
            "wait_net_us": TIME,
            "explained_us": TIME,
            "starve_us": TIME,
        }
    ],
    "idle": (
        {
            **IDLE,
            "by_device": dict[str, object],
            "places": [
                {"cause": str, "idle_us": TIME, "place": str, "site": (int, None), "drained_by": (int, None)}
            ],
        },
        None,
    ),
    "code": [{"kind": str, "name": str, "host_us": TIME, "device_us": TIME, "launches": int}],
    "savings": ({**SAVING, "calibrated": bool, "replay_error": (float, None)}, None),
    "findings": [
        {
            "rule": str,
            "severity": str,
            "sites": [int],
            "steps": [int],
            "count": int,
            "removal": str,
            "saving": (SAVING, None),
            "confidence": str,
            "evidence": [
                {"kind": str, "start_us": TIME, "duration_us": TIME, "step": (int, None), "row": int}
            ],
            "numbers": dict[str, object],
            "fingerprint": str,
        }
    ],
    "fix_plan": [{"finding": int, "adds_us": TIME, "total_us": TIME, "ceiling_us": TIME}],
    "verdict": ({"case": str, "numbers": dict[str, object]}, None),
    "not_checked": [{"rule": str, "needs": str}],
    "failed_rules": [{"rule": str, "error": str}],
    "predicted_lines": [
        {
            "rule": str,
            "kind": str,
            "source": dict[str, object],
            "call": str,
            "count": int,
            "known": str,
            "fingerprint": str,
        }
    ],
    "recorded_calls": [
        {
            "file": str,
            "line": int,
            "function": str,
            "call": str,
            "count": int,
            "devices": [str],
            "pinned": (bool, None),
            "non_blocking": (bool, None),
        }
    ],
}


def differences(value: Any, schema: Any, at: str = "") -> list[str]:
    """Where a value is not as the schema has it; keys may be added, as the schema's rule allows."""
    if isinstance(schema, tuple):
        results = [differences(value, one, at) for one in schema]
        return [] if any(not result for result in results) else results[0]
    if schema is None:
        return [] if value is None else [f"{at} is not null"]
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{at} is no object"]
        missing = [f"{at}.{key} is missing" for key in schema if key not in value]
        there = {key: value[key] for key in schema if key in value}
        return missing + [
            found for key, inner in there.items() for found in differences(inner, schema[key], f"{at}.{key}")
        ]
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{at} is no list"]
        return [found for i, item in enumerate(value) for found in differences(item, schema[0], f"{at}[{i}]")]
    if schema in (dict[str, object], dict[str, float]):
        return [] if isinstance(value, dict) else [f"{at} is no object"]
    exact = isinstance(value, (int, float)) if schema is float else isinstance(value, schema)
    is_bool = isinstance(value, bool) and schema is not bool
    return [] if exact and not is_bool else [f"{at} is {type(value).__name__}"]


def forbid(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")
