"""Alarms on traces that no rule was made with, and what is said of them first, against a person's reading.

The judgment is `tests/data/unseen_traces.json`; where the files can be had, `tests/bench/unseen_traces.py`
shows that it is of today's alarms.
"""

from __future__ import annotations

import json
import pathlib

JUDGED = json.loads(
    (pathlib.Path(__file__).parents[1] / "data" / "unseen_traces.json").read_text(encoding="utf-8")
)

LEAST_PRECISION = 0.95


def test_at_least_95_of_100_alarms_on_unseen_traces_are_true() -> None:
    alarms = [alarm for row in JUDGED for alarm in row["alarms"]]
    assert all(alarm["because"] for alarm in alarms)
    assert sum(alarm["true"] for alarm in alarms) >= LEAST_PRECISION * len(alarms)


def test_each_trace_has_an_origin_and_what_a_person_says_of_it() -> None:
    assert len({row["blob"] for row in JUDGED}) == len(JUDGED) >= 15
    for row in JUDGED:
        assert row["repository"] and row["path"] and row["expert"] and row["agrees"]
        # Whoever disagrees says why.
        assert row["agrees"].startswith("yes") or ": " in row["agrees"]
