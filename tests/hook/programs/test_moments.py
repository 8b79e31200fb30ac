"""Whatever comes at any line of the hook or of torch leaves nothing behind, raises and changes nothing."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from script_runner import ScriptRunner, side_by_side

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks")

MOMENTS = Path(__file__).with_name("moments.py")

KINDS = ("close", "step", "pause", "phase", "raise")

LINES_OF_A_PROCESS = 400
"""One that something was left in is no place for many more."""

MOST_LINES = 6_800
"""More than the hook runs in such a training."""


def faults(processes: ScriptRunner, folder: Path, where: str, kind: str, every: int) -> dict[str, object]:
    """What was left, or raised, by the line at which something came."""

    def part(first: int) -> list[dict[str, object]]:
        own = folder / str(first)
        own.mkdir(parents=True)
        environment = {**os.environ, "TBPROF_SPOOL": str(own / "spool"), "TBPROF_QUIET": "1"}
        arguments = [MOMENTS, where, kind, first, first + LINES_OF_A_PROCESS, every, own / "logs"]
        ended = processes.run(arguments, own, environment, limit_s=500)
        rows = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
        last = rows[-1] if rows else {}
        if ended.exit_code != 0 or "lines" not in last:
            rows.append({"at": f"after {last}", "place": "", "found": f"ended with {ended.exit_code}"})
        return rows

    rows = [row for found in side_by_side(part, range(1, MOST_LINES, LINES_OF_A_PROCESS)) for row in found]
    moments = [row for row in rows if "at" in row]
    lines = {row["lines"] for row in rows if "lines" in row}
    assert max(lines, default=0) < MOST_LINES  # type: ignore[type-var]
    assert len(moments) > 40
    return {f"{row['at']}, {row['place']}": row["found"] for row in moments if row["found"]}


@pytest.mark.parametrize("every", [61, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_what_comes_at_any_line(
    processes: ScriptRunner, tmp_path: Path, kind: str, every: int
) -> None:
    assert faults(processes, tmp_path, "hook", kind, every) == {}


@pytest.mark.parametrize("every", [53, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_left_of_what_comes_at_any_line_of_torch_s(
    processes: ScriptRunner, tmp_path: Path, kind: str, every: int
) -> None:
    """A handler that closes the hook may end the process next: `close()` is not put off there."""
    assert faults(processes, tmp_path, "torch", kind, every) == {}
