"""Simulated programs written down as pairs that were recorded on a device."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from program import Program
from recording import record, site_label
from simulated_host import run


def write_pairs(folder: Path, programs: Iterable[Program]) -> None:
    """`truth.json` and a trace for each program that has sites, timed with them and without."""
    (folder / "pairs").mkdir(parents=True)
    written = [
        _pair(folder, f"pair_{number:04}", program)
        for number, program in enumerate(programs)
        if program.sites
    ]
    truth = {"format": 1, "pairs": written}
    (folder / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")


def _pair(folder: Path, name: str, program: Program) -> dict[str, Any]:
    whole = run(program)
    trace = Path("pairs") / f"{name}.pt.trace.json.gz"
    record(program, whole).write(folder / trace, gz=True)
    steps = len(whole.steps) - program.steps_before
    without = {f"s{site}": frozenset({site}) for site in program.sites}
    without["all"] = frozenset(program.sites)
    whole_ms = whole.window_ns / steps / 1e6
    without_ms = {each: run(program, sites).window_ns / steps / 1e6 for each, sites in without.items()}
    return {
        "pair": name,
        "trace": str(trace),
        "sites": [
            {"id": f"s{site}", "label": site_label(site), "removal": "defer"} for site in program.sites
        ],
        "times": {each: _times(ms) for each, ms in {"full": whole_ms, **without_ms}.items()},
        "savings": {each: {"saving_ms": {"median": whole_ms - ms}} for each, ms in without_ms.items()},
    }


def _times(ms: float) -> dict[str, Any]:
    """Of a program that takes the same in each round."""
    return {"wall": {"median": ms}, "wall_rounds": [ms, ms]}
