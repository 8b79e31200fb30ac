"""Why two sides differ: a short window of each under the profiler, and the comparison of their tables."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tbprof.experiment.measuring import Side
from tbprof.experiment.messages import Order
from tbprof.experiment.outcome import Part

_STEPS = 4
"""The first of a window warms the profiler up."""


def reasons(sides: tuple[Side, Side], folder: Path) -> Iterator[Part]:
    """What each operator or kernel adds to the difference; nothing where a program ended meanwhile."""
    files = [folder / f"window{at}.json" for at in range(2)]
    for at, (side, file) in enumerate(zip(sides, files, strict=True)):
        if side.play(Order(_STEPS, trace=str(file), side=at)).has_ended:
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
