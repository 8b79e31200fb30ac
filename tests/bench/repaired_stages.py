"""A program repaired stage by stage: was each saving predicted?

python tests/bench/repaired_stages.py RECORDING

RECORDING is the folder with `programs.json` and `traces/`.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from prediction_table import HEAD, prediction_row  # noqa: E402
from recorded_stages import Repair, judge_repairs, read_stages  # noqa: E402

STAGES_HEAD = """\
| from | to | waits removed | step before, ms | floor, ms | estimate, ms | ceiling, ms | measured, ms | \
noise, ms | in the bracket |
|---|---|---|---|---|---|---|---|---|---|"""


def main(recording: Path) -> None:
    for synchronized in (False, True):
        repairs = list(judge_repairs(read_stages(recording, synchronized=synchronized)))
        if not repairs:
            sys.exit(f"No two stages in {recording} hold device work and times: record them on a GPU.")
        print(f"\nA synchronize ends each step: {'yes' if synchronized else 'no'}.\n\n{STAGES_HEAD}")
        for repair in repairs:
            print(stage_row(repair))
        print_judgment(repairs)


def stage_row(repair: Repair) -> str:
    told = repair.prediction
    saving = told.predicted
    cells = (
        repair.before,
        repair.after,
        ", ".join(f"{each[0] or 'synchronize'} {each[1]}".strip() for each in repair.removed) or "none",
        ms(told.window_ns),
        ms(saving.floor_ns),
        "-" if saving.estimate_ns is None else ms(saving.estimate_ns),
        ms(saving.ceiling_ns),
        ms(told.true_ns),
        ms(told.noise_ns),
        "yes" if told.is_inside else "no",
    )
    return f"| {' | '.join(cells)} |"


def print_judgment(repairs: list[Repair]) -> None:
    """The stages that remove waits, as all predictions are judged, and a sentence on the others."""
    waits = [each.prediction for each in repairs if each.removed]
    print(f"\n{HEAD}{prediction_row('stages that remove waits', waits)}")
    for repair in repairs:
        if not repair.removed:
            saved = repair.prediction.true_ns / repair.prediction.window_ns
            print(
                f"- {repair.before} to {repair.after} removes no wait, so that nothing is predicted; the step"
                f" became {saved:.1%} shorter by other kernels or less work of the host."
            )


def ms(ns: float) -> str:
    return f"{ns / 1e6:.3f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
