"""What tbprof says of public traces that no rule was made with: `python tests/bench/unseen_traces.py FOLDER`.

FOLDER holds bare clones, `owner+name/repo`, of the repositories in `tests/data/unseen_traces.json`; the
file has what a person read in each trace. Prints the table of `unseen_traces.md`, and fails if the alarms
or the sentences have changed.
"""

from __future__ import annotations

import collections
import datetime
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from tbprof.judge.words import verdict_sentences
from tbprof.model import Report
from tbprof.report import build_report

JUDGED = pathlib.Path(__file__).parents[1] / "data" / "unseen_traces.json"

HEAD = """# Traces that no rule was made with

Public traces that were read by hand, event by event where a figure is given, with plain Python. An alarm is
a finding of at least medium; whether it is true was judged from the events, by one person, who knew tbprof's
answer. `tests/data/unseen_traces.json` has the judgment of each, and where the file is from. Four traces of
a capture and two of a cold start had false alarms when they were first looked at, and one an impossible
share; they are right since. Of the last eighteen, from `nanogpt_adam_before` on, the expert's sentence was
written before tbprof was asked: fifteen agreed at once; `flux_capture` was called a late host, and of
`particle_batch_256` the place is said and not that it compiles. Dropout without a GPU was not looked at then.

| trace | an expert says first | tbprof says first | agree | alarms, true of all |
|---|---|---|---|---|"""


def report_of_blob(mirrors: pathlib.Path, row: dict[str, Any]) -> Report:
    """Of a file of one commit or another, by the hash of its content."""
    clone = mirrors / row["repository"].replace("/", "+") / "repo"
    data = subprocess.run(
        ["git", f"--git-dir={clone}", "cat-file", "blob", row["blob"]], capture_output=True, check=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{row['name']}.json.gz"
        path.write_bytes(data if row["path"].endswith(".gz") else gzip.compress(data))
        return build_report(path)


def changes(row: dict[str, Any], report: Report, said: str) -> list[str]:
    """How this report differs from what was judged; empty if it does not."""
    now = collections.Counter(f.rule for f in report.findings if f.severity not in ("low", "info"))
    then = collections.Counter(alarm["rule"] for alarm in row["alarms"])
    found = [f"{row['name']}: alarms {dict(now)} instead of {dict(then)}"] if now != then else []
    case = None if report.verdict is None else report.verdict.case
    if case != row["case"] or not all(part in said for part in row["says"]):
        found.append(f"{row['name']}: {case} says {said}")
    return found


def main(mirrors: pathlib.Path) -> int:
    """The number of traces of which something else is said."""
    rows = json.loads(JUDGED.read_text(encoding="utf-8"))
    differing: list[str] = []
    print(HEAD)
    for row in rows:
        report = report_of_blob(mirrors, row)
        first, second = ("", "") if report.verdict is None else verdict_sentences(report.verdict)
        differing += changes(row, report, f"{first} {second}")
        true = sum(alarm["true"] for alarm in row["alarms"])
        print(
            f"| {row['name']} | {row['expert']} | {first} | {row['agrees']} | {true}/{len(row['alarms'])} |"
        )
    alarms = [alarm for row in rows for alarm in row["alarms"]]
    true = sum(alarm["true"] for alarm in alarms)
    agreed = sum(row["agrees"].startswith("yes") for row in rows)
    print(
        f"\n{datetime.date.today()}: {len(rows)} traces, {agreed} agree; {true} of {len(alarms)} alarms true."
    )
    print("\n".join(differing), file=sys.stderr)
    return len(differing)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])) > 0)
