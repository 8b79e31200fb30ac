"""What the optional tables of a trace cost its reader: CPU time of reading with them, and without.

    python tests/bench/optional_tables.py TRACES

TRACES is a folder of public traces. Every figure is of a process of its own, without its imports; all
take turns, and the fastest of nine counts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

TURNS = 9
ONE_BY_ONE = ("kernels", "autograd", "modules", "collectives", "memory")
TABLES = ("", *ONE_BY_ONE, "kernels autograd", " ".join(ONE_BY_ONE))
"""The last but one are those that operators, kernels, modules and their limits read."""
NAMES = (
    "h100_owlv2_infer/h100_owlv2.json.gz",
    "mi300_flux_infer/profile_trace_rank_0.json.gz",
    "hta_df_index_memory/df_index_resolver.json.gz",
    "hta_trace_diff/control.json.gz",
)
READ = """
import sys, time
from tbprof.trace.importers.kineto.reader import read_trace
before_s = time.process_time()
read_trace(sys.argv[1], tables=frozenset(sys.argv[2].split()))
print(time.process_time() - before_s)
"""


def cpu_s(path: Path, tables: str) -> float:
    """Of one reading."""
    alone = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", READ, str(path), tables]
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=alone).stdout)


def main() -> None:
    """Print a table for `ingest.md`."""
    print(f"{date.today()}, Python {sys.version.split()[0]}, CPU ms, the fastest of {TURNS} turns.\n")
    named = ["none", *ONE_BY_ONE, "kernels, autograd", "all"]
    print("| trace |", " | ".join([*named, "kernels, autograd / none", "all / none"]), "|")
    print("|---|" + "---|" * (len(TABLES) + 2))
    for name in NAMES:
        best = dict.fromkeys(TABLES, float("inf"))
        for _ in range(TURNS):
            for tables in TABLES:
                best[tables] = min(best[tables], cpu_s(Path(sys.argv[1], name), tables))
        shown = " | ".join(f"{1000 * value:.0f}" for value in best.values())
        ratios = " | ".join(f"{best[tables] / best['']:.2f}" for tables in TABLES[-2:])
        print(f"| {name.partition('/')[0]} | {shown} | {ratios} |", flush=True)


if __name__ == "__main__":
    main()
