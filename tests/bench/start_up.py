"""What a command costs before it does anything: `python tests/bench/start_up.py TRACE`.

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

TBPROF = (sys.executable, "-m", "tbprof")
EMPTY = (sys.executable, "-c", "pass")
NUMPY = (sys.executable, "-c", "import numpy, msgspec")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    python, load = sys.version.split()[0], os.getloadavg()[0]
    print(f"{date.today()}, Python {python}, load {load:.1f} at the start; {options.trace.name}\n")
    print("| command | CPU ms | times | of |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        report = (*TBPROF, "report", str(options.trace))
        subprocess.run(report, env=environment, check=True, capture_output=True)
        for title, command, floor, name in (
            ("`tbprof --version`", (*TBPROF, "--version"), EMPTY, "`python -c pass`"),
            ("`tbprof --help`", (*TBPROF, "--help"), EMPTY, "`python -c pass`"),
            ("`tbprof explain SYN01`", (*TBPROF, "explain", "SYN01"), EMPTY, "`python -c pass`"),
            ("a cached report, text", report, NUMPY, "importing numpy and msgspec"),
            ("a cached report, JSON", (*report, "--format", "json"), NUMPY, "importing numpy and msgspec"),
            ("the trace read anew, text", (*report, "--no-cache"), NUMPY, "importing numpy and msgspec"),
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
