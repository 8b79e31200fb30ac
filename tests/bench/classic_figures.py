"""Prints what the unmodified torch-tb-profiler shows of traces, before and after `tbprof classic`.

    python tests/bench/classic_figures.py FOLDER_OF_TRACES > tests/bench/classic_figures.md

Starts real TensorBoard for each folder of traces and reads the plugin's own routes.
"""

from __future__ import annotations

import dataclasses
import datetime
import importlib.metadata
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "e2e"))

from recorded_figures import Figures, recorded_figures
from tensorboard_server import tensorboard

from tbprof.window_names import parse_window_name

ROUTES = "/data/plugin/pytorch_profiler/"
LOADING_S = 300.0
ABSENT = "fails"


def main(folder: Path) -> None:
    print(HEAD.format(day=datetime.date.today().isoformat(), version=_version("torch-tb-profiler")))
    print(COLUMNS)
    for group in sorted(path for path in folder.iterdir() if path.is_dir() and path.name != "malformed"):
        for line in _lines(group):
            print(line, flush=True)


HEAD = """# The standard PyTorch Profiler tab, before and after

torch-tb-profiler {version}, unmodified, in real TensorBoard; {day}; made by `classic_figures.py`.
Each cell: recorded / before / after. Times in us: device time is the sum of all kernels, copies and
memsets against the sum of "Device Self Time" of the operators; data loader and communication are
those of the overview, over all steps (communication is what other work of the device does not hide);
a step begins and ends with its device's work, as the plugin defines it. Without steps in the trace
(recorded 0) the plugin takes all of it for one. "fails": the plugin shows nothing of the trace.
"""
TITLES = (
    "trace", "device time of operators", "data loader", "communication", "steps", "mean step",
    "operators with a call stack",
)  # fmt: skip
COLUMNS = f"| {' | '.join(TITLES)} |\n{'|---' * len(TITLES)}|"


def _version(package: str) -> str:
    return importlib.metadata.version(package)


def _lines(group: Path) -> Iterator[str]:
    traces = sorted(group.glob("*.json.gz"))
    with tempfile.TemporaryDirectory() as folder:
        logdir = Path(folder, "logs")
        for name in ("before", "after"):
            (logdir / name).mkdir(parents=True)
        for trace in traces:
            shutil.copy(trace, logdir / "before" / f"{_stem(trace)}.pt.trace.json.gz")
        copy = [sys.executable, "-m", "tbprof", "classic", *map(str, traces), "--out", str(logdir / "after")]
        subprocess.run(copy, check=True, capture_output=True)
        with tensorboard(logdir) as address:
            _wait_until_loaded(address, {"before", "after"})
            for trace in traces:
                before, after = (_shown(address, name, trace) for name in ("before", "after"))
                yield _line(f"{group.name}/{_stem(trace)}", recorded_figures(trace), before, after)


def _stem(trace: Path) -> str:
    return parse_window_name(trace.name).stem


def _get(address: str, route: str, **arguments: str) -> Any:
    with urllib.request.urlopen(f"{address}{ROUTES}{route}?{urllib.parse.urlencode(arguments)}") as answer:
        return json.loads(answer.read())


def _wait_until_loaded(address: str, runs: set[str]) -> None:
    deadline = time.monotonic() + LOADING_S
    while time.monotonic() < deadline:
        state = _get(address, "runs")
        if not state["loading"] and set(state["runs"]) == runs:
            return
        time.sleep(1)
    raise TimeoutError(f"the plugin did not load {runs}")


def _shown(address: str, run: str, trace: Path) -> Figures | None:
    worker, dot, number = _stem(trace).rpartition(".")
    place = {"run": run, "worker": _stem(trace), "span": "default"}
    if dot and number.isdigit():
        # The plugin counts the windows of a worker.
        windows = sorted(path.name for path in trace.parent.glob(f"{worker}.*"))
        place |= {"worker": worker, "span": str(windows.index(trace.name) + 1)}
    try:
        overview = _get(address, "overview", **place)
        table = _get(address, "operation/table", group_by="Operation", **place)["data"]
        # The table rounds each row to whole us, the chart beside it does not.
        chart = _get(address, "operation", group_by="Operation", **place)["device_self_time"]
    except urllib.error.HTTPError:
        return None
    return _figures(overview["steps"], table, chart["rows"] if chart else [])


def _figures(steps: dict[str, Any], table: list[dict[str, Any]], device: list[list[Any]]) -> Figures:
    columns = [column.get("name", "tooltip") for column in steps["columns"]]
    total = {
        name: sum(row[index] for row in steps["rows"])
        for index, name in enumerate(columns)
        if name not in ("Step", "tooltip")
    }
    return Figures(
        device=sum(own for _, own in device),
        data_loader=total["DataLoader"],
        communication=total.get("Communication", 0),
        steps=len(steps["rows"]),
        mean_step=sum(total.values()) / len(steps["rows"]),
        ops_with_stack=sum(bool(row.get("has_call_stack")) for row in table),
    )


def _line(name: str, recorded: Figures, before: Figures | None, after: Figures | None) -> str:
    cells = []
    for field in dataclasses.fields(Figures):
        values = (getattr(figures, field.name, None) for figures in (recorded, before, after))
        cells.append(" / ".join(ABSENT if value is None else f"{value:,.0f}" for value in values))
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    logging.disable()
    main(Path(sys.argv[1]))
