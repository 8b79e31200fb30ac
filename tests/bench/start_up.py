"""What a command costs before it does anything: `python tests/bench/start_up.py TRACE SMALL_TRACE`.

Prints the table of `start_up.md`: CPU time of whole processes, children included, the least of some rounds,
beside that of an empty Python program and of one that imports numpy and msgspec.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from tbprof import __version__
from tbprof.file_names import REPORT_SUFFIX
from tbprof.report import build_report
from tbprof.store.codec import encode_report

TBPROF = (sys.executable, "-m", "tbprof")
EMPTY = (sys.executable, "-c", "pass")
NO_THREADS = (
    sys.executable,
    "-c",
    "from tbprof.process.one_thread import one_thread\nwith one_thread(): import numpy, msgspec",
)
NUMPY_NAME = "importing numpy and msgspec"
NUMPY = (sys.executable, "-c", "import numpy, msgspec")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path)
    parser.add_argument("small", type=Path, help="a trace of 1 MB or less")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    python, load = sys.version.split()[0], os.getloadavg()[0]
    names = f"{options.trace.name}, {options.small.name}"
    print(f"{date.today()}, Python {python}, load {load:.1f} at the start; {names}\n")
    print("| command | CPU ms | times | of |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        report = (*TBPROF, "report", str(options.trace))
        subprocess.run(report, env=environment, check=True, capture_output=True)
        stored = Path(cache) / f"worker.1752215573993169006{REPORT_SUFFIX}"
        stored.write_bytes(encode_report(build_report(options.trace), written_by=__version__))
        for title, command, floor, name in (
            ("`tbprof --version`", (*TBPROF, "--version"), EMPTY, "`python -c pass`"),
            ("`tbprof --help`", (*TBPROF, "--help"), EMPTY, "`python -c pass`"),
            ("`tbprof explain SYN01`", (*TBPROF, "explain", "SYN01"), EMPTY, "`python -c pass`"),
            ("numpy and msgspec without numpy's threads", NO_THREADS, NUMPY, NUMPY_NAME),
            ("a cached report, text", report, NUMPY, NUMPY_NAME),
            ("a cached report, JSON", (*report, "--format", "json"), NUMPY, NUMPY_NAME),
            ("a stored report, text", (*TBPROF, "report", str(stored)), NUMPY, NUMPY_NAME),
            ("the trace read again, text", (*report, "--no-cache"), NUMPY, NUMPY_NAME),
            ("the small one, text", (*TBPROF, "report", str(options.small), "--no-cache"), NUMPY, NUMPY_NAME),
        ):
            pairs = [(cpu_s(command, environment), cpu_s(floor, environment)) for _ in range(options.rounds)]
            took, least = (min(column) for column in zip(*pairs, strict=True))
            print(f"| {title} | {took * 1000:.0f} | {took / least:.1f} | {name}, {least * 1000:.0f} ms |")


def cpu_s(command: tuple[str, ...], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
