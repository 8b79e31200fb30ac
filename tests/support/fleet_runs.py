"""Runs of one program, one after the other: the second is of another commit and waits in another place."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from source_scene import known_training

from tbprof.model import Report
from tbprof.store.codec import encode_report

COMMITS = ("a" * 40, "b" * 40)
FIRST_NS = 1_752_215_573_000_000_000
HOUR_NS = 3600 * 1_000_000_000


def report_of_commit(commit: str | None, metrics: str = "lib/metrics.py") -> Report:
    report = known_training(metrics=metrics)
    assert report.facts is not None
    return dataclasses.replace(report, facts=dataclasses.replace(report.facts, git_commit=commit))


def put_fleet(folder: Path) -> None:
    """`team/run1`, watched for an hour, and `team/run2` for two; and `raw`, whose trace nobody has read."""
    reports = (report_of_commit(COMMITS[0]), report_of_commit(COMMITS[1], "lib/late_metrics.py"))
    for number, report in enumerate(reports, start=1):
        run = folder / "team" / f"run{number}"
        run.mkdir(parents=True)
        for at_ns in (0, number * HOUR_NS):
            name = f"w.{FIRST_NS + number * 24 * HOUR_NS + at_ns}.tbprof.pb"
            (run / name).write_bytes(encode_report(report, written_by="0.1"))
    (folder / "raw").mkdir()
    (folder / "raw" / "broken.pt.trace.json").write_text('{"traceEvents": [', encoding="utf-8")
