"""Are the sync points found the ones that torch's own witnesses saw? Program by program.

python tests/bench/witnessed_points.py RECORDING

RECORDING is the folder with `programs.json`.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from recorded_witnesses import Agreement, agreement, read_programs  # noqa: E402 - the path comes first

HEAD = """\
| program | points a step: found | witnessed | both | precision | recall | beyond the witnesses | \
functions: found | witnessed | both |
|---|---|---|---|---|---|---|---|---|---|"""


def main(recording: Path) -> None:
    programs = list(read_programs(recording))
    if not programs:
        sys.exit(f"No program in {recording} has a witness: record them on a GPU.")
    print(HEAD)
    all_told = {program.name: agreement(program) for program in programs}
    for name, told in all_told.items():
        print(row(name, told))
    columns = zip(*map(dataclasses.astuple, all_told.values()), strict=True)
    print(row("all", Agreement(*map(sum, columns))))


def row(name: str, told: Agreement) -> str:
    precision = share(told.points_agreed, told.found)
    recall = share(told.points_agreed, told.witnessed)
    points = f"{told.found} | {told.witnessed} | {told.points_agreed} | {precision} | {recall}"
    sites = f"{told.sites_found} | {told.sites_witnessed} | {told.sites_agreed}"
    return f"| {name} | {points} | {told.trace_only} | {sites} |"


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
