"""Are the sync points found the ones that torch's own witnesses saw? Program by program.

python tests/bench/witnessed_points.py RECORDING

RECORDING is the folder with `programs.json`.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from recorded_witnesses import agreement, read_programs  # noqa: E402 - the path comes first

HEAD = """\
| program | points a step: found | witnessed | both | precision | recall | seen by the trace alone | \
functions: found | witnessed | both |
|---|---|---|---|---|---|---|---|---|---|"""


def main(recording: Path) -> None:
    programs = list(read_programs(recording))
    if not programs:
        sys.exit(f"No program in {recording} has a witness: record them on a GPU.")
    print(HEAD)
    for program in programs:
        told = agreement(program)
        precision = share(told.points_agreed, told.found)
        recall = share(told.points_agreed, told.witnessed)
        points = f"{told.found} | {told.witnessed} | {told.points_agreed} | {precision} | {recall}"
        sites = f"{told.sites_found} | {told.sites_witnessed} | {told.sites_agreed}"
        print(f"| {program.name} | {points} | {told.trace_only} | {sites} |")


def share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
