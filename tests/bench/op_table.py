"""Does tbprof's table of operations say what a GPU does? Form by form, and row by row.

python tests/bench/op_table.py RECORDING

RECORDING is the folder with `operations.json` and `source/`; its forms run again here, without a GPU.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from recorded_operations import JudgedOperation, judge_operations, rows_seen  # noqa: E402

from tbprof.optable import OPS  # noqa: E402
from tbprof.preflight.prediction import PredictedSite  # noqa: E402

FORMS_HEAD = """\
| form | expected | waited | seen by | copies | predicted | waits in | the table says | known \
| verdict |
|---|---|---|---|---|---|---|---|---|---|"""
ROWS_HEAD = """\
| op | condition | known | seen to wait here |
|---|---|---|---|"""
TOLD = {None: "-", True: "yes", False: "no"}


def main(recording: Path) -> None:
    judged = tuple(judge_operations(recording))
    print(FORMS_HEAD)
    for each in judged:
        print(form_row(each))
    verdicts = Counter(each.verdict for each in judged)
    print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) + ".\n")
    if all(each.operation.measured is None for each in judged):
        print(
            f"No device measured the forms in {recording}: record them on a GPU. Expectations are no truth."
        )
    else:
        print_rows(judged)


def form_row(judged: JudgedOperation) -> str:
    operation = judged.operation
    cells = (
        operation.form,
        operation.expects,
        TOLD[operation.measured],
        ", ".join(operation.witnesses) or "-",
        ", ".join(dict.fromkeys(operation.copies)) or "-",
        TOLD[judged.copies_agree],
        operation.waits_in or "-",
        ", ".join(dict.fromkeys(map(said, judged.predicted))) or "nothing",
        ", ".join(dict.fromkeys(site.known for site in judged.predicted)) or "-",
        judged.verdict,
    )
    return f"| {' | '.join(cells)} |"


def said(site: PredictedSite) -> str:
    """One predicted site: its kind, its copy, and whether it waits."""
    waits = "waits" if site.blocking else "does not wait"
    return " ".join(filter(None, (site.kind, site.direction, site.memory, waits)))


def print_rows(judged: tuple[JudgedOperation, ...]) -> None:
    """Which rows of the table may be marked as seen."""
    seen = rows_seen(tuple(each.operation for each in judged))
    print(ROWS_HEAD)
    for row in OPS:
        print(f"| {row.op} | {row.condition} | {row.known} | {', '.join(seen[row]) or '-'} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
