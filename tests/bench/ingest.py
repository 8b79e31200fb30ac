"""How fast traces are read, side by side with a floor and with other readers, in one run.

    python tests/bench/ingest.py TRACES [--traceinsight PYTHON] [--quick]

TRACES is a folder of public traces; PYTHON the interpreter of an environment that has
traceinsight, the present HolisticTraceAnalysis (it pins its own pandas). torch-tb-profiler is
taken from this environment. Every figure is of a process of its own, imports included; of the
floor and of tbprof's readings the better of three. On large traces the others take minutes;
`--quick` leaves the largest out. numpy starts no threads for linear algebra in any of them: no
reader has a use for them, and starting them would count as its work.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

MEASURES, TILE = (Path(__file__).with_name(name) for name in ("ingest_measures.py", "tile_trace.py"))
OURS = ("floor", "ingest", "ingest_without_isal", "table", "table_together", "cached", "cached")
TURNS = 3
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
SAYS = {
    "floor": "floor: unpack, check the JSON, keep nothing",
    "ingest": "tbprof: the columns of a report",
    "ingest_without_isal": "tbprof: the same, without isal",
    "table": "tbprof: the same, and sync points, copies, sites",
    "table_together": "tbprof: both, all cores if worth it",
    "cached": "tbprof: the columns, into the cache",
    "cached again": "tbprof: the columns, from the cache",
    "torch_tb_profiler": "torch-tb-profiler: RunProfileData.parse",
    "traceinsight": "traceinsight (HTA): parse_trace_dataframe",
}


@dataclass(frozen=True)
class Cost:
    """Of one process."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    figures: dict[str, float]


def measure(what: str, trace: Path, python: str, environment: dict[str, str]) -> Cost:
    """Run one measure; its output must be JSON on one line.

    Raises:
        RuntimeError: it failed; the message is the end of what it wrote.
    """
    command = [python, str(MEASURES), what, str(trace)]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env=environment)
        before = os.times().elapsed
        _, status, usage = os.wait4(process.pid, 0)
        wall_s = os.times().elapsed - before
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise RuntimeError(f"{what} failed: {err.read()[-300:].decode(errors='replace')}")
        figures = json.loads(out.read().splitlines()[-1])
    scale = 1024 if sys.platform == "darwin" else 1
    return Cost(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024 / scale, figures)


def costs(trace: Path, traceinsight: str) -> dict[str, Cost | str]:
    """Each measure with what it cost, or why there is none.

    A machine is not always as fast, so all take turns, and the fastest turn of each counts.
    """
    turns = [dict(turn(trace, traceinsight)) for _ in range(TURNS)]
    return {what: fastest([each[what] for each in turns]) for what in turns[0]}


def fastest(found: Sequence[Cost | str]) -> Cost | str:
    costs = [cost for cost in found if isinstance(cost, Cost)]
    return min(costs, key=lambda cost: cost.wall_s) if costs else found[0]


def turn(trace: Path, traceinsight: str) -> Iterator[tuple[str, Cost | str]]:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, **ONE_THREAD, "XDG_CACHE_HOME": cache}
        for number, what in enumerate(OURS):
            name = "cached again" if what in OURS[:number] else what
            yield name, measure(what, trace, sys.executable, environment)
    for what, python, is_there in (
        ("torch_tb_profiler", sys.executable, importlib.util.find_spec("torch_tb_profiler") is not None),
        ("traceinsight", traceinsight, bool(traceinsight)),
    ):
        if not is_there:
            yield what, "not installed here"
            continue
        try:
            yield what, measure(what, trace, python, {**os.environ, **ONE_THREAD})
        except RuntimeError as error:
            yield what, " ".join(str(error).split())


def inputs(traces: Path, folder: Path, *, quick: bool) -> Iterator[tuple[str, Path]]:
    """The traces to read, each with what it is."""
    h100 = traces / "h100_owlv2_infer" / "h100_owlv2.json.gz"
    a100 = traces / "hta_trace_diff" / "control.json.gz"
    yield "H100, inference, stacks, shapes, memory", h100
    recorded = folder / "cpu.json.gz"
    subprocess.run([sys.executable, str(MEASURES), "record", str(recorded)], check=True, capture_output=True)
    yield "CPU, training, stacks, shapes, memory, recorded now", recorded
    # A process's peak counts that of the one that started it, so this one must stay small.
    subprocess.run([sys.executable, str(TILE), str(a100), "9", str(folder / "a100.json.gz")], check=True)
    yield "A100, training (2022), 9 times in a row", folder / "a100.json.gz"
    if not quick:
        subprocess.run([sys.executable, str(TILE), str(h100), "18", str(folder / "h100.json.gz")], check=True)
        yield "the first, 18 times in a row", folder / "h100.json.gz"


def rows(what: str, found: dict[str, Cost | str]) -> Iterator[str]:
    """The table of one input."""
    floor = found["floor"]
    assert isinstance(floor, Cost)
    yield f"\n## {what}\n"
    yield (
        f"{floor.figures['json_mb']:,.0f} MB of JSON, {floor.figures['events']:,.0f} events; "
        f"columns of {_cost(found['ingest']).figures['columns_mb']:,.0f} MB; "
        f"{_cost(found['table']).figures['points']:,.0f} sync points and copies.\n"
    )
    yield "| what | wall s | CPU s | peak MB | CPU / floor |\n|---|---|---|---|---|"
    for name, cost in found.items():
        if isinstance(cost, str):
            yield f"| {SAYS[name]} | {cost} | | | |"
            continue
        figures = (
            f"{cost.wall_s:.2f} | {cost.cpu_s:.2f} | {cost.peak_mb:.0f} | {cost.cpu_s / floor.cpu_s:.1f}"
        )
        yield f"| {SAYS[name]} | {figures} |"
    yield ""
    yield from ratios(found)


def ratios(found: dict[str, Cost | str]) -> Iterator[str]:
    """What was wanted of the figures, and what they are."""
    ingest, table = _cost(found["ingest"]), _cost(found["table"])
    floor, plain, again = (_cost(found[name]) for name in ("floor", "ingest_without_isal", "cached again"))
    tb, hta = found["torch_tb_profiler"], found["traceinsight"]
    yield f"- columns / floor, CPU: {ingest.cpu_s / floor.cpu_s:.1f} (wanted: at most 5)"
    share = table.figures["correlated_s"] / ingest.cpu_s
    yield f"- finding sync points and copies / reading, CPU: {share:.0%} (at most 15 %)"
    if isinstance(tb, Cost):
        yield _faster("torch-tb-profiler", tb, found, wanted=15)
        yield f"- torch-tb-profiler / tbprof: {tb.peak_mb / _all_mb(found):.1f} x memory (at least 6)"
    if isinstance(hta, Cost):
        yield _faster("traceinsight", hta, found, wanted=7)
    hit = again.figures["without_imports_s"] / ingest.cpu_s
    yield f"- from the cache / reading, CPU: {hit:.1%} without imports (at most 2 %)"
    slower, more = plain.wall_s / ingest.wall_s, plain.cpu_s / ingest.cpu_s
    yield f"- without isal / with: {slower:.2f} x time (at most 1.25), {more:.2f} x CPU"
    imports_mb, columns_mb = ingest.figures["imports_mb"], ingest.figures["columns_mb"]
    yield (
        f"- peak of reading: {ingest.peak_mb:.0f} MB (at most 550), of which {imports_mb:.0f} imports, "
        f"{columns_mb:.0f} columns, {ingest.peak_mb - imports_mb - columns_mb:.0f} buffers (at most 40)"
    )


def _faster(peer: str, cost: Cost, found: dict[str, Cost | str], wanted: int) -> str:
    """How many times longer `peer` takes to the end of its parse than tbprof to the table of sync points."""
    alone, together = _cost(found["table"]), _cost(found["table_together"])
    return (
        f"- {peer} / tbprof: {cost.wall_s / together.wall_s:.1f} x time (at least {wanted}); by one process "
        f"{cost.cpu_s / alone.cpu_s:.1f} x CPU, and without the start of Python and imports "
        f"{cost.figures['work_s'] / alone.figures['work_s']:.1f} x"
    )


def _all_mb(found: dict[str, Cost | str]) -> float:
    """Peak of all of tbprof's processes together, as if they had it at the same moment."""
    together = _cost(found["table_together"])
    return together.peak_mb + together.figures["others_mb"] * together.figures["others"]


def _cost(found: Cost | str) -> Cost:
    assert isinstance(found, Cost)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--traceinsight", default=os.environ.get("TBPROF_BENCH_TRACEINSIGHT", ""))
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    lines = [
        "# Reading traces\n",
        f"What `python tests/bench/ingest.py` printed: the fastest of {TURNS} turns of each.\n",
    ]
    lines += [f"{date.today()}, {machine}, load {os.getloadavg()[0]:.1f} at the start."]
    with tempfile.TemporaryDirectory() as folder:
        for what, trace in inputs(options.traces, Path(folder), quick=options.quick):
            lines += rows(what, costs(trace, options.traceinsight))
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
