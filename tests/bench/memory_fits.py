"""What `tbprof fits` follows against what torch's allocator for the CPU records, over twenty trainings.

    python tests/bench/memory_fits.py > tests/bench/memory_fits.md

Each training runs once more under `torch.profiler` with `profile_memory`, in which the allocator says what it
has given after each event. Sizes are those that tensors ask for: the CPU's allocator does not round.
"Followed" are the tensors, "running" is that and what the running operator has inside, such as copies of
`aten::convolution_backward` in another layout; the difference is of the latter.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from memory_trainings import TRAININGS

BATCHES = (16, 64)


def recorded_peak(script: Path, batch: int) -> int:
    """Of the allocator for the CPU, in a process of its own."""
    command = [sys.executable, __file__, str(script)]
    environment = os.environ | {"TBPROF_BATCH_SIZE": str(batch)}
    ended = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return int(ended.stdout.split()[-1])


def print_recorded_peak(script: str) -> None:
    from torch.profiler import ProfilerActivity, profile

    scope = {"__name__": "__main__"}
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        exec(compile(Path(script).read_bytes(), script, "exec"), scope)
    print(max(_totals(recorded.profiler.kineto_results.experimental_event_tree())))


def _totals(events: list[Any]) -> Iterator[int]:
    for event in events:
        if event.typed[0].name == "Allocation":
            yield event.extra_fields.total_allocated
        yield from _totals(event.children)


def followed_peaks(script: Path) -> dict[int, tuple[int, int]]:
    sizes = ",".join(map(str, BATCHES))
    command = ["-m", "tbprof", "fits", "--batch", sizes, "--format", "json", str(script)]
    ended = subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    return {
        row["batch"]: (row["peak"]["requested_bytes"], row["peak"]["running_bytes"])
        for row in json.loads(ended.stdout)["sizes"]
    }


def main() -> None:
    today = datetime.datetime.now(tz=datetime.timezone.utc).date()
    print("# Memory that `tbprof fits` follows, against the allocator's record\n")
    print(f"{today}, torch {torch.__version__}.\n")
    print((__doc__ or "").partition("md\n\n")[2])
    print("| training | batch | recorded, bytes | followed, bytes | running, bytes | difference |")
    print("|---|---|---|---|---|---|")
    worst = 0.0
    with TemporaryDirectory() as folder:
        for name, source in TRAININGS.items():
            script = Path(folder) / "train.py"
            script.write_text(source, encoding="utf-8")
            for batch, (followed, running) in followed_peaks(script).items():
                recorded = recorded_peak(script, batch)
                difference = running / recorded - 1
                worst = max(worst, abs(difference))
                print(
                    f"| {name} | {batch} | {recorded:,} | {followed:,} | {running:,} | {difference:+.2%} |",
                    flush=True,
                )
    print(f"\nThe largest difference: {worst:.2%}.")


if __name__ == "__main__":
    print_recorded_peak(sys.argv[1]) if sys.argv[1:] else main()
