"""What readers get out of damaged traces, side by side on the same files.

    python tests/bench/mutated_traces.py TRACES [--traceinsight PYTHON] [--mutants 10000] [--peers 300]

TRACES is a folder of public traces; PYTHON the interpreter of an environment that has
traceinsight, the present HolisticTraceAnalysis. torch-tb-profiler is taken from this environment.
tbprof reads all mutants, the others the first PEERS of each original; everybody reads all other files.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[str(TESTS / "support"), :0] = [str(TESTS.parent), str(TESTS / "trace")]

from bombs import BOMBS, pack, pieces  # noqa: E402
from odd_events import COSTS_ITSELF, READ_AS, with_odd_event  # noqa: E402
from trace_mutants import CLEAN, KINDS, Mutant, mutants, original, recorded  # noqa: E402
from trace_samples import write  # noqa: E402

BOMB_MB = 600
SAYS = {
    "tbprof": "tbprof",
    "torch_tb_profiler": "torch-tb-profiler",
    "traceinsight": "traceinsight (HTA)",
}


@dataclass(frozen=True)
class Answer:
    """What a reader made of a file."""

    names: Counter[str] | None
    """How often each name of an event came out; None if it did not open."""
    cpu_s: float
    peak_mb: float


class Reader:
    """A process that reads files for one reader. One that died did not open its file."""

    def __init__(self, name: str, python: str) -> None:
        self.name = name
        self._command = [python, str(Path(__file__).with_name("safe_open.py")), name]
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        return subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def read(self, path: Path) -> Answer:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._process = self._start()
            return Answer(None, 0.0, 0.0)
        found = json.loads(line)
        names = None if found["names"] is None else Counter(found["names"])
        return Answer(names, found["cpu_s"], found["peak_mb"])

    def close(self) -> None:
        self._process.communicate()


@contextmanager
def readers(traceinsight: str) -> Iterator[list[Reader]]:
    """A new process of each reader that is installed."""
    pythons = {"tbprof": sys.executable, "torch_tb_profiler": sys.executable, "traceinsight": traceinsight}
    started = [Reader(name, python) for name, python in pythons.items() if python]
    yield started
    for reader in started:
        reader.close()


def bombs(folder: Path, traceinsight: str) -> Iterator[str]:
    """What each bomb costs each reader, in a process of its own."""
    yield f"\n## Small files that unpack to {BOMB_MB} MB, with 4 GB to do it in\n"
    yield "| what is repeated | reader | events | CPU s | peak MB |\n|---|---|---|---|---|"
    for what, (before, repeated) in BOMBS.items():
        path = pack(pieces(before, repeated, BOMB_MB), folder / "bomb.json.gz")
        with readers(traceinsight) as fresh:
            for reader in fresh:
                found = reader.read(path)
                events = "refused" if found.names is None else found.names.total()
                yield f"| {what} | {SAYS[reader.name]} | {events} | {found.cpu_s:.1f} | {found.peak_mb:.0f} |"


def malformed(folder: Path, traces: Path, asked: list[Reader]) -> Iterator[str]:
    """How many of the files that are damaged in known ways give events."""
    odd = [text for text, _ in (*READ_AS.values(), *COSTS_ITSELF.values())]
    sets = {
        "files malformed in 20 ways": sorted((traces / "malformed").iterdir()),
        "traces with one odd event": [
            write(folder, with_odd_event(text), f"odd{number}.json") for number, text in enumerate(odd)
        ],
    }
    yield "\n## Known damage\n"
    yield "| files | reader | files | with events |\n|---|---|---|---|"
    for what, paths in sets.items():
        for reader in asked:
            opened = sum(reader.read(path).names is not None for path in paths)
            yield f"| {what} | {SAYS[reader.name]} | {len(paths)} | {opened} |"


@dataclass(frozen=True)
class Verdict:
    kind: str
    opened: bool
    share: float
    """Of the names of the intact events, how many came out."""
    cpu_s: float


def verdict(injured: Mutant, found: Answer) -> Verdict:
    intact = Counter(row[2] for row in injured.intact.elements())
    kept = (found.names or Counter()) & intact
    return Verdict(injured.kind, found.names is not None, kept.total() / intact.total(), found.cpu_s)


def injured(folder: Path, asked: list[Reader], count: int, peers: int) -> Iterator[str]:
    """A table of mutants of a CPU and of a GPU trace, half each, those without a whole event left out."""
    pair = recorded(folder), original(CLEAN)
    verdicts: dict[str, list[Verdict]] = {reader.name: [] for reader in asked}
    for seed, (whole, other) in enumerate((pair, pair[::-1])):
        for number, mutant in enumerate(mutants(whole, other, count // 2, seed)):
            if not mutant.intact:
                continue
            path = write(folder, mutant.content)
            for reader in asked:
                if reader.name == "tbprof" or number < peers:
                    verdicts[reader.name].append(verdict(mutant, reader.read(path)))
    yield "\n## One injury each\n"
    yield "| reader | injury | traces | opened | names of intact events read, mean | worst | slowest, CPU s |"
    yield "|---|---|---|---|---|---|---|"
    for name, found in verdicts.items():
        for kind in (*KINDS, "all"):
            yield _line(SAYS[name], kind, [one for one in found if kind in (one.kind, "all")])


def _line(name: str, kind: str, found: list[Verdict]) -> str:
    opened = statistics.mean(one.opened for one in found)
    mean, worst = statistics.mean(one.share for one in found), min(one.share for one in found)
    slowest_s = max(one.cpu_s for one in found)
    return f"| {name} | {kind} | {len(found)} | {opened:.1%} | {mean:.2%} | {worst:.1%} | {slowest_s:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--traceinsight", default=os.environ.get("TBPROF_BENCH_TRACEINSIGHT", ""))
    parser.add_argument("--mutants", type=int, default=10_000)
    parser.add_argument("--peers", type=int, default=300)
    options = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print("# Damaged traces\n\nWhat `python tests/bench/mutated_traces.py` printed.\n")
    print(f"{date.today()}, {machine}, load {os.getloadavg()[0]:.1f} at the start.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        costs = bombs(folder, options.traceinsight)
        with readers(options.traceinsight) as asked:
            known = malformed(folder, options.traces, asked)
            unknown = injured(folder, asked, options.mutants, options.peers)
            for line in itertools.chain(unknown, known, costs):
                print(line, flush=True)


if __name__ == "__main__":
    main()
