"""Nothing that is said of a public trace changes unnoticed."""

from __future__ import annotations

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "data"))

from public_traces import GOLDEN, summary
from public_traces import traces as public_traces

from tbprof.report import build_report


def test_the_reports_are_those_that_were_checked(traces: pathlib.Path) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    today = {
        path.relative_to(traces).as_posix(): summary(build_report(path)) for path in public_traces(traces)
    }
    assert today == golden, "look at what changed, then run tests/data/public_traces.py"
