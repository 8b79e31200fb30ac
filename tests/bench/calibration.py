"""Are the predicted savings true on a device? Judged by pairs that were recorded there.

python tests/bench/calibration.py RECORDING

RECORDING is the folder with `truth.json`. One factor for the estimates is fitted on every other
program and judged on the rest; the table shows those with it and without.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from calibration import fitted_factor, halves, scaled  # noqa: E402 - the path comes first
from prediction import ALL_SITES  # noqa: E402
from prediction_table import HEAD, prediction_row  # noqa: E402
from recorded_pairs import judge_pair, read_pairs  # noqa: E402


def main(recording: Path) -> None:
    pairs = read_pairs(recording)
    judged = [predictions for pair in pairs if (predictions := tuple(judge_pair(pair)))]
    if not judged:
        sys.exit(f"None of the {len(pairs)} pairs in {recording} holds device work: record them on a GPU.")
    fit, held = halves(judged)
    factor = fitted_factor(fit)
    alone = [each for each in held if each.site != ALL_SITES]
    together = [each for each in held if each.site == ALL_SITES]
    print(HEAD, end="")
    print(prediction_row("fitted half, as it is", fit), end="")
    print(prediction_row("held half, as it is", held), end="")
    print(prediction_row("held half, each site alone", alone), end="")
    print(prediction_row("held half, all sites together", together), end="")
    with_factor = [scaled(each, factor) for each in held]
    print(prediction_row(f"held half, times {factor:.3f}", with_factor), end="")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
