"""Freeze what is said of the public traces: `TBPROF_TRACES=... python tests/data/public_traces.py`.

Writes `public_traces.json`, which a test compares with today's reports, and `public_traces.md`, the
same as a table for people.
"""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

from tbprof.judge.words import verdict_sentences
from tbprof.model import Report
from tbprof.report import build_report

HERE = pathlib.Path(__file__).parent
EXPERT = HERE / "expert.json"
GOLDEN = HERE / "public_traces.json"
TABLE = HERE / "public_traces.md"

CHECKED = """# What tbprof says of the public traces

Written by `tests/data/public_traces.py`; times in ms. Points, waits and the empty idle, a
part of what bounds the ceiling, were derived a second time from the raw events of every file, by an
independent program in plain Python, and were equal to the ns. Findings at least medium are listed, worst
first. Beyond that:

- dlrm_v100_8rank, h100_owlv2_infer, kineto_resnet50_nw0: equal to a ground truth that was derived twice.
- h100_owlv2_infer: 619 ms of the idle lie in the loader's range, 491 of them after the reads to the host.
- h100_bert_small_infer, mi300_bert_small_infer: one read of 1 byte under is_nonzero, one explicit
  synchronize; on the MI300 the copy is called DtoD and its call's kind says DtoH.
- h100_transformer_clean, hta_df_index_memory: no copy to or from the host, no synchronize but the profiler's.
- hta_critical_path: 10.8 and 15.6 s of the idle lie in first calls, most of it in frees of a library, and
  0.5 and 2.9 in what cuDNN does between them.
- hta_degenerate: those without device rows get no saving; the one wait of the MI300 lies on full work.
- hta_nccl_ddp: 24 event synchronizes of 79 us in all, no copy to or from the host.
- hta_trace_diff: `control` has 65.7 of 465 ms of empty idle, `test` 0.66 of 744 beside 321 ms of waits.
- kineto_resnet50_nw4: 12 uploads as in nw0; 352 ms in the loader became 2 to 7, so the host is next.
- sam_amg_a100: the idle of the newer file was counted microsecond by microsecond: 142,883 us.
- vllm_b200_tp8_eager: 161 copies, none of which blocks; no step is marked.

"""


FIRST = """## What is said first

`expert.json` has what an expert says first of each trace; a test holds the figures that prove it against
the report.

| trace | an expert | tbprof | agree |
|---|---|---|---|
"""


def traces(folder: pathlib.Path) -> list[pathlib.Path]:
    """Every trace but the damaged ones and those of one program before and after a change, by name."""
    found = sorted(folder.glob("*/*.json.gz"))
    return [
        path for path in found if path.parent.name not in ("malformed", "straggler_what_if", "real_pairs")
    ]


def summary(report: Report) -> dict[str, Any]:
    """The figures that must not change unnoticed; times in ns."""
    savings = report.savings
    return {
        "points": report.sync_points.count,
        "wait_ns": report.sync_points.wait_ns,
        "explained_ns": report.sync_points.explained_ns,
        "steps": len(report.steps),
        "idle_by_cause_ns": {} if report.idle is None else dict(report.idle.total.by_cause),
        "floor_ns": None if savings is None else savings.floor_ns,
        "estimate_ns": None if savings is None else savings.estimate_ns,
        "ceiling_ns": None if savings is None else savings.ceiling_ns,
        "replay_error": None if savings is None else savings.replay_error,
        "verdict": None if report.verdict is None else report.verdict.case,
        "findings": [f"{f.rule} {f.severity}" for f in report.findings if f.severity not in ("info", "low")],
        "failed_rules": [row.rule for row in report.failed_rules],
    }


def _row(name: str, figures: dict[str, Any]) -> str:
    def ms(key: str) -> str:
        return "" if figures[key] is None else f"{figures[key] / 1e6:.2f}"

    error = "" if figures["replay_error"] is None else f"{figures['replay_error']:.2%}"
    cells = (
        name,
        str(figures["points"]),
        ms("wait_ns"),
        ms("floor_ns"),
        ms("estimate_ns"),
        ms("ceiling_ns"),
        error,
        figures["verdict"] or "",
        ", ".join(figures["findings"]),
    )
    return f"| {' | '.join(cells)} |\n"


def _said(name: str, report: Report) -> str:
    """A row of the table of first sentences: the expert's, tbprof's, and whether they agree."""
    expert = json.loads(EXPERT.read_text(encoding="utf-8"))[name]
    assert report.verdict is not None
    first, _ = verdict_sentences(report.verdict)
    return f"| {name} | {expert['expert']} | {first} | {expert['agrees']} |\n"


def main() -> None:
    folder = pathlib.Path(os.environ["TBPROF_TRACES"])
    reports = {path.relative_to(folder).as_posix(): build_report(path) for path in traces(folder)}
    golden = {name: summary(report) for name, report in reports.items()}
    GOLDEN.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")
    heads = ("trace", "points", "wait", "floor", "estimate", "ceiling", "replay error", "verdict", "findings")
    table = f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n"
    rows = "".join(_row(name, figures) for name, figures in golden.items())
    known = json.loads(EXPERT.read_text(encoding="utf-8"))
    said = "".join(_said(name, reports[name]) for name in known)
    TABLE.write_text(f"{CHECKED}{FIRST}{said}\n## Figures\n\n{table}{rows}", encoding="utf-8")


if __name__ == "__main__":
    main()
