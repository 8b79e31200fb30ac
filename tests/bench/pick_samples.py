"""From a recording to samples: chosen windows, small enough, each with its report beside it.

python tests/bench/pick_samples.py RECORDING OUT [HOOKED]

RECORDING is the folder with `programs.json` and `traces/`, HOOKED one that `hook_on_gpu.py` left, whose
windows are taken first; OUT is `logs/samples`, or a folder to look at them first.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent), str(TESTS / "data")]

from recorded_samples import MOST_BYTES, chosen_windows, fitted  # noqa: E402
from refresh_samples import report_path, write_report  # noqa: E402
from shortened_trace import count_steps  # noqa: E402

HEAD = "| sample | steps | bytes | sync points | device work |\n|---|---|---|---|---|"


def main(recording: Path, out: Path, hooked: Path | None = None) -> None:
    samples = fitted(list(chosen_windows(recording, hooked)))
    if not samples:
        sys.exit(f"None of the chosen programs in {recording} has a window: record them again.")
    print(HEAD)
    total, has_work = 0, True
    for sample in samples:
        trace = out / sample.name / sample.file
        trace.parent.mkdir(parents=True, exist_ok=True)
        trace.write_bytes(sample.content)
        report = write_report(trace)
        size = trace.stat().st_size + report_path(trace).stat().st_size
        total, has_work = total + size, has_work and report.idle is not None
        points = report.sync_points.count
        work = "yes" if report.idle is not None else "none"
        print(f"| {sample.name} | {count_steps(sample.document)} | {size} | {points} | {work} |")
    print(f"\n{total} bytes in all, of at most {MOST_BYTES}.")
    if not has_work:
        print(f"Windows in {recording} hold no device work and are no samples: record them on a GPU.")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
