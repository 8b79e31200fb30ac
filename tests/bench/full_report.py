"""What a user runs against what the standard plugin does first: `full_report.py TRACES [--rounds N]`.

Prints the table of `full_report.md`: CPU time and peak memory of whole processes, imports included. Ours is
`tbprof report --format json --no-cache`, one process; its peer is torch-tb-profiler's parse of the same file.
TRACES is a folder of public traces; larger ones are made of them with `tile_trace.py`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

MEASURES = Path(__file__).with_name("ingest_measures.py")
TILES = Path(__file__).with_name("tile_trace.py")
TBPROF = (sys.executable, "-m", "tbprof", "report", "--format", "json", "--no-cache")
PEER = (sys.executable, str(MEASURES), "torch_tb_profiler")

SOURCES = (
    ("hta_nccl_ddp/nccl_data.json.gz", 1, 3.0),
    ("h100_owlv2_infer/h100_owlv2.json.gz", 1, 6.0),
    ("hta_df_index_memory/df_index_resolver.json.gz", 1, 6.0),
    ("h100_owlv2_infer/h100_owlv2.json.gz", 4, 10.0),
    ("hta_df_index_memory/df_index_resolver.json.gz", 4, 10.0),
)
"""A trace, how often it is repeated, and how many times less CPU is wanted."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    python, load = sys.version.split()[0], os.getloadavg()[0]
    print(f"{date.today()}, Python {python}, {os.cpu_count()} cores, load {load:.1f} at the start\n")
    print("| trace | JSON MB | ours: CPU s | MB | its peer: CPU s | MB | CPU / ours | wanted | MB / ours |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, copies, wanted in SOURCES:
            trace = traces_of(options.traces / name, copies, Path(folder))
            pairs = list(turns(trace, options.rounds))
            ours, peer = (min(column) for column in zip(*pairs, strict=True))
            title = f"{Path(name).stem.partition('.')[0]}{f' x {copies}' if copies > 1 else ''}"
            figures = f"{ours[0]:.2f} | {ours[1]:.0f} | {peer[0]:.2f} | {peer[1]:.0f}"
            ratios = f"{peer[0] / ours[0]:.1f} | {wanted:.0f} | {peer[1] / ours[1]:.1f}"
            print(f"| {title} | {json_mb(trace):.0f} | {figures} | {ratios} |", flush=True)


def traces_of(source: Path, copies: int, folder: Path) -> Path:
    if copies == 1:
        return source
    # torch-tb-profiler reads only what is named so.
    tiled = folder / f"w{copies}{source.parent.name}.1752215573993.pt.trace.json.gz"
    # In a process of its own: a child's peak is at least what its parent held when it started it.
    subprocess.run((sys.executable, TILES, source, str(copies), tiled), check=True)
    return tiled


def turns(trace: Path, rounds: int) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Side by side; of large traces fewer."""
    for _ in range(rounds if trace.stat().st_size < 5e6 else max(rounds // 2, 1)):
        yield cost((*TBPROF, str(trace))), cost((*PEER, str(trace)))


def cost(command: tuple[str, ...]) -> tuple[float, float]:
    """CPU seconds, and the peak in MB, of a process and its children."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed: {said.decode()[-500:]}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def json_mb(trace: Path) -> float:
    import gzip

    total = 0
    with gzip.open(trace) as unpacked:
        while piece := unpacked.read(1 << 20):
            total += len(piece)
    return total / 1e6


if __name__ == "__main__":
    main()
