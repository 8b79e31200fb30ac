"""Nothing that is said of a public trace changes unnoticed."""

from __future__ import annotations

import json
import pathlib
import sys

from public_report import PublicReport

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))

from public_traces import GOLDEN, summary
from public_traces import traces as public_traces


def test_the_reports_are_those_that_were_checked(traces: pathlib.Path, public_report: PublicReport) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    today = {
        path.relative_to(traces).as_posix(): summary(public_report(path)) for path in public_traces(traces)
    }
    assert today == golden, "look at what changed, then run tests/data/public_traces.py"
