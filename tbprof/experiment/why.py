"""Why two sides differ: a short window of each under the profiler, and the comparison of their tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tbprof.experiment.measuring import Series, Side
from tbprof.experiment.messages import Order
from tbprof.experiment.outcome import Part

_FEWEST_STEPS, _MOST_STEPS = 6, 40
_TRIES = 3
"""A neighbor that interrupts an operator in one window looks like the reason."""


def least_disturbed(sides: tuple[Side, Side], steps: int, folder: Path, series: Series) -> tuple[Part, ...]:
    """The parts of those windows that differ most like what was measured without a profiler."""
    if not series.wall:
        return ()
    measured_us = (series.step_ns(1) - series.step_ns(0)) / 1000
    tries = (tuple(_reasons(sides, steps, folder)) for _ in range(_TRIES))
    return min(tries, key=lambda parts: abs(sum(part.us for part in parts) - measured_us))


def _reasons(sides: tuple[Side, Side], steps: int, folder: Path) -> Iterator[Part]:
    """What each operator or kernel adds to the difference; nothing where a program ended meanwhile."""
    # The first of a window warms the profiler up.
    asked = min(max(1 + 2 * steps, _FEWEST_STEPS), _MOST_STEPS)
    files = [folder / f"window{at}.json" for at in range(2)]
    for at, (side, file) in enumerate(zip(sides, files, strict=True)):
        file.unlink(missing_ok=True)
        if side.play(Order(asked, trace=str(file), side=at)).has_ended:
            return
    if any(not file.exists() for file in files):
        return
    for table in ("kernels", "operators"):
        against = ["--against", str(files[0]), "--format", "json", "--no-cache"]
        command = [sys.executable, "-m", "tbprof", "table", table, str(files[1]), *against]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if said.returncode == 0:
            for row in json.loads(said.stdout)["rows"]:
                yield Part(row["name"], row["difference_us"], row["share"] or 0.0)
            return
