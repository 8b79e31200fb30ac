"""From the end of a step to its verdict: `verdict_latency.py [--rounds N]`.

Prints the table of `verdict_latency.md`. A small transformer trains on the CPU with the hook; the last
recorded step of a window ends at 0. Then: when the hook gave the loop back, when the audit step ended, when
the window's report was there, when an open tab was told of it, had its page, and when `tbprof report` of it
ended. Every part ends after the one before; a tab asks each second whether anything changed. Then, of reports
that come at moments which no tab knows, how long after each file a tab had its page.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import torch

import tbprof

SCHEDULE = tbprof.Schedule(skip_first=5, wait=0, warmup=3, active=5, repeat=1)
LAST = SCHEDULE.steps_needed - 1
SEEN = 15
"""Reports that come while a tab is open."""
AFTER = 3
"""Steps that the training goes on for: the first of them is the audit step."""

PARTS = (
    "the hook gave the loop back",
    "the audit step ended",
    "the report was there",
    "an open tab was told of it",
    "its page was answered",
    "`tbprof report` of it had ended",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    python, load = sys.version.split()[0], os.getloadavg()[0]
    print(f"{date.today()}, Python {python}, torch {torch.__version__}, load {load:.1f} at the start\n")
    with tempfile.TemporaryDirectory() as folder:
        rounds = [once(Path(folder) / f"round{number}") for number in range(options.rounds)]
        report = next(Path(folder).glob("*/logs/run/*.tbprof.pb")).read_bytes()
        waits = sorted(seen_after(report, Path(folder) / f"seen{number}") for number in range(SEEN))
    print("| until | ms after the step, median | of that since the line above |\n|---|---|---|")
    before = 0.0
    for at, part in enumerate(PARTS):
        median = statistics.median(times[at] for times in rounds)
        print(f"| {part} | {median * 1000:.0f} | {(median - before) * 1000:.0f} |")
        before = median
    print("\n| from a report's file to its page in an open tab | ms |\n|---|---|")
    for title, wait_s in ((f"median of {SEEN}", statistics.median(waits)), ("longest", waits[-1])):
        print(f"| {title} | {wait_s * 1000:.0f} |")


def once(folder: Path) -> list[float]:
    """Seconds after the end of the last recorded step, one for each part."""
    logdir = folder / "logs"
    os.environ["TBPROF_SPOOL"] = f"{folder}/spool"
    os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
    tab = Tab(logdir)
    ended: list[tuple[float, float]] = []
    hook = tbprof.TrainerHook(str(logdir / "run"), schedule=SCHEDULE)
    step = training_step()
    with hook:
        for _ in range(LAST + 1 + AFTER):
            step()
            before = time.perf_counter()
            hook.step()
            ended.append((before, time.perf_counter()))

        def train_on() -> None:
            step()
            hook.step()

        report = wait_for(lambda: next((logdir / "run").glob("*.tbprof.pb"), None), train_on)
        told = tab.wait_until_told()
        answered = tab.open()
    stored = next((logdir / "run").glob("*.tbprof.pb"))
    subprocess.run([sys.executable, "-m", "tbprof", "report", str(stored)], check=True, capture_output=True)
    printed = time.perf_counter()
    tab.plugin.close()
    zero = ended[LAST][0]
    audit = ended[LAST + 1][1]
    return [one - zero for one in (ended[LAST][1], audit, report, told, answered, printed)]


def seen_after(report: bytes, folder: Path) -> float:
    """Seconds from a report's file, which comes at a moment that the tab can't know, to its page."""
    run = folder / "run"
    run.mkdir(parents=True)
    tab = Tab(folder)
    came: list[float] = []

    def put() -> None:
        (folder / "aside").write_bytes(report)
        came.append(time.perf_counter())
        (folder / "aside").rename(run / f"host_1.{time.time_ns()}.tbprof.pb")

    timer = threading.Timer(random.uniform(1, 2), put)
    timer.start()
    tab.wait_until_told()
    answered = tab.open()
    timer.join()
    tab.plugin.close()
    return answered - came[0]


def training_step() -> Callable[[], None]:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randn(4, 16, 64)

    def step() -> None:
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def wait_for(found: Callable[[], Path | None], train_on: Callable[[], None]) -> float:
    """When it was first there, while the training goes on, which the hook needs to start what publishes."""
    while (path := found()) is None:
        train_on()
    # The file has its name from the moment on at which it is whole.
    return min(time.perf_counter(), time.perf_counter() - (time.time() - path.stat().st_ctime))


class Tab:
    """What an open tab asks of TensorBoard, without a browser."""

    def __init__(self, logdir: Path) -> None:
        from tensorboard.backend import application
        from tensorboard.plugins import base_plugin
        from werkzeug.test import Client

        from tbprof.plugin.loader import TbprofLoader

        flags = argparse.Namespace(logdir=str(logdir), logdir_spec="", tbprof_follow_links=False)
        context = base_plugin.TBContext(flags=flags, logdir=str(logdir))
        self.plugin: Any = TbprofLoader().load(context)
        self._client = Client(application.TensorBoardWSGI([self.plugin]))
        self._version = self._get("version")["version"]

    def wait_until_told(self) -> float:
        while self._get("version")["version"] == self._version:
            time.sleep(1.0)
        [run] = self._get("runs")["runs"]
        self._run = run
        return time.perf_counter()

    def open(self) -> float:
        worker = self._run["workers"][0]
        place = {"run": "run", "worker": worker["worker"], "window": worker["windows"][0]["window"]}
        assert self._get("window", **place)["state"] == "ready"
        return time.perf_counter()

    def _get(self, route: str, **asked: str) -> Any:
        return self._client.get(f"/data/plugin/tbprof/{route}", query_string=asked).json


if __name__ == "__main__":
    main()
