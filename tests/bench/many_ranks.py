"""How jobs of many ranks are read: `many_ranks.py TRACES`.

Prints the table of `many_ranks.md`. TRACES is a folder of public traces; of the eight ranks of DLRM in it,
jobs of any size are made: raw traces of 1 MB as they are packed, and stored reports. Times are those of whole
processes, children included; those of the tab are the server's.
"""

from __future__ import annotations

import argparse
import dataclasses
import gzip
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path
from typing import Any

from tile_trace import tile_trace

TBPROF = (sys.executable, "-m", "tbprof")
REPEATED = 13
"""Times that a rank's trace of 75 kB is repeated to be 1 MB."""
RANK = re.compile(rb'("distributedInfo"\s*:\s*\{[^}]*?"rank"\s*:\s*)(\d+)')
WORLD = re.compile(rb'("distributedInfo"\s*:\s*\{[^}]*?"world_size"\s*:\s*)(\d+)')
POLL_S = 0.2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    options = parser.parse_args()
    ranks = sorted((options.traces / "dlrm_v100_8rank").glob("*.json.gz"))
    python, load = sys.version.split()[0], os.getloadavg()[0]
    print(f"{date.today()}, Python {python}, {os.cpu_count()} cores, load {load:.1f} at the start\n")
    print("| what | wall s | CPU s | MB | wanted |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        raw = write_traces(ranks, Path(folder), 64)
        row("`tbprof job`, 64 traces of 1 MB, no report", command("job", raw), "30 s")
        row("the same again", command("job", raw), "")
        for count, wanted in ((1_000, "300 MB"), (4_096, "60 s, 1 GB")):
            stored = write_reports(ranks, Path(folder) / f"stored{count}", count)
            row(f"`tbprof job`, {count:,} reports", command("job", stored), wanted)
            if count == 1_000:
                row("decoding 1,000 reports as a list needs them", decoding(stored), "0.5 s of CPU")
                what = "the job's page, 1,000 reports"
                tab(f"{what}, by a server just started", stored, "job", "")
                tab(f"{what}, once the tab shows a window", stored, "job", "1 s, 300 MB", is_open=True)
        stored = write_reports(ranks, Path(folder) / "stored2048", 2_048)
        row("`tbprof report`, 2,048 reports", command("report", stored), "68 MB")
        stored = write_reports(ranks, Path(folder) / "stored16384", 16_384)
        tab("ranks in the tab, 16,384 reports", stored, "ranks", "again 2 %, 300 kB")


def row(what: str, cost: tuple[float, float, float], wanted: str) -> None:
    print(f"| {what} | {cost[0]:.1f} | {cost[1]:.1f} | {cost[2]:.0f} | {wanted} |", flush=True)


def command(name: str, run: Path) -> tuple[float, float, float]:
    """Wall and CPU seconds, and the peak in MB of the largest process.

    Its own `ru_maxrss` is not asked: Linux counts there what this process held when it forked.
    """
    before, began_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    program = (
        "import resource, runpy, sys; sys.argv = sys.argv[1:]\n"
        "try: runpy.run_module('tbprof', run_name='__main__')\n"
        "finally:\n"
        "    own = int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss\n"
        "    print(max(own, child), file=sys.stderr)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "tbprof", name, str(run)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
        text=True,
    )
    wall_s, after = time.perf_counter() - began_s, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall_s, cpu_s, int(ended.stderr.splitlines()[-1]) / 1000


def decoding(run: Path) -> tuple[float, float, float]:
    """In this process, once what decodes is imported and has found out how to."""
    from tbprof.store.codec import decode_report

    stored = [path.read_bytes() for path in sorted(run.glob("*.tbprof.pb"))]
    decode_report(stored[0], name="the first", is_one_of_many=True)
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    for data in stored:
        decode_report(data, name="one", is_one_of_many=True)
    return time.perf_counter() - began_s, time.process_time() - began_cpu_s, peak_mb()


def peak_mb() -> float:
    """Of this process."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1000


def tab(what: str, run: Path, route: str, wanted: str, *, is_open: bool = False) -> None:
    """In a process of its own, as TensorBoard's: the first whole answer, and one of later polls."""
    ended = subprocess.run(
        [sys.executable, __file__, "--tab", str(run), route, *(["open"] if is_open else [])],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    first, again = ended.stdout.splitlines()[-2:]
    wall_s, cpu_s, megabytes, answer_bytes = map(float, first.split())
    again_wall_s, again_cpu_s = map(float, again.split())
    row(f"{what}, {answer_bytes / 1000:.0f} kB", (wall_s, cpu_s, megabytes), wanted)
    row(f"the same again: {again_wall_s / wall_s:.1%} of it", (again_wall_s, again_cpu_s, megabytes), "")


def poll(run: str, route: str, is_open: str = "") -> None:
    from tensorboard.backend import application
    from tensorboard.plugins import base_plugin
    from werkzeug.test import Client

    from tbprof.plugin.loader import TbprofLoader
    from tbprof.window_names import parse_window_name

    logdir = str(Path(run).parent)
    flags = argparse.Namespace(logdir=logdir, logdir_spec="", tbprof_follow_links=False)
    plugin: Any = TbprofLoader().load(base_plugin.TBContext(flags=flags, logdir=logdir))
    client = Client(application.TensorBoardWSGI([plugin]))
    asked = {"run": Path(run).name, "number": "1"}
    # The first request imports what answers.
    client.get("/data/plugin/tbprof/ranks", query_string={"run": "none"})
    client.get("/data/plugin/tbprof/job", query_string={"run": "none"})
    if is_open:
        client.get("/data/plugin/tbprof/runs")
        first = min(Path(run).glob("*.tbprof.pb")).name
        place = {"run": Path(run).name, "worker": parse_window_name(first).worker, "window": first}
        assert client.get("/data/plugin/tbprof/window", query_string=place).json["state"] == "ready"
    began_s, began_cpu_s = time.perf_counter(), time.process_time()
    while True:
        answer = client.get(f"/data/plugin/tbprof/{route}", query_string=asked)
        if not (answer.json.get("reading") or answer.json.get("state") == "reading"):
            break
    cost = time.perf_counter() - began_s, time.process_time() - began_cpu_s
    print(*cost, peak_mb(), len(answer.data))
    # A folder that changed seconds ago may change unseen, and is listed again.
    time.sleep(4)
    again = []
    for _ in range(3):
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        client.get(f"/data/plugin/tbprof/{route}", query_string=asked)
        again.append((time.process_time() - began_cpu_s, time.perf_counter() - began_s))
        time.sleep(1.2)
    cpu_s, wall_s = max(again)
    print(wall_s, cpu_s)
    plugin.close()


def write_traces(sources: list[Path], folder: Path, count: int) -> Path:
    run = folder / "raw" / "run"
    run.mkdir(parents=True)
    texts = []
    for source in sources:
        tiled = folder / "tiled.json"
        tile_trace(source, REPEATED, tiled)
        texts.append(tiled.read_bytes())
    for rank in range(count):
        text = RANK.sub(lambda found, rank=rank: found[1] + b"%d" % rank, texts[rank % len(texts)], count=1)
        text = WORLD.sub(lambda found: found[1] + b"%d" % count, text, count=1)
        packed = gzip.compress(text, 6, mtime=0)
        (
            run / f"node{rank // 8}_{rank}_rank{rank}.{1_760_000_000_000_000_000 + rank}.pt.trace.json.gz"
        ).write_bytes(packed)
    return run


def write_reports(sources: list[Path], folder: Path, count: int) -> Path:
    from tbprof.report import build_report
    from tbprof.store.codec import encode_report

    run = folder / "run"
    run.mkdir(parents=True)
    reports = [build_report(source) for source in sources]
    for rank in range(count):
        report = reports[rank % len(reports)]
        trace = dataclasses.replace(report.trace, rank=rank, world_size=count)
        stored = encode_report(dataclasses.replace(report, trace=trace), written_by="0.1")
        (run / f"node{rank // 8}_{rank}_rank{rank}.{1_760_000_000_000_000_000 + rank}.tbprof.pb").write_bytes(
            stored
        )
    return run


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tab"]:
        poll(*sys.argv[2:])
    else:
        main()
