"""Where each check really failed and passed: `python tests/bench/check_examples.py TRACES MIRRORS`.

TRACES holds the public traces of the tests, MIRRORS the clones that `unseen_traces.py` reads. The program
`wrong_settings.py` is run through the hook on the CPU, as it is and with `--right`. Writes
`tests/data/check_examples.json` and prints the table of `check_examples.md`. The environment's settings are
the program's own.
"""

from __future__ import annotations

import collections
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from unseen_traces import JUDGED, report_of_blob

from tbprof.model import Report
from tbprof.report import build_report
from tbprof.rules.registry import RULES

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent / "data" / "check_examples.json"
PROGRAM = HERE / "wrong_settings.py"

HEAD = """# Where each check really failed and passed

Of a trace that holds it: the name of a public trace, or of a program that was run through the hook on a CPU.
*None known* means that no public trace at hand and no program without a GPU shows it; the check rests on its
tests then. Whether alarms are true is in `alarms.json` and `unseen_traces.json`.

| check | failed | passed |
|---|---|---|"""


def reports(traces: pathlib.Path, mirrors: pathlib.Path) -> Iterator[tuple[str, Report]]:
    for path in sorted(traces.glob("*/*.json.gz")):
        if path.parent.name not in ("malformed", "straggler_what_if"):
            yield f"{path.parent.name}/{path.name}", build_report(path)
    for row in json.loads(JUDGED.read_text(encoding="utf-8")):
        yield f"{row['repository']}: {row['path']}", report_of_blob(mirrors, row)
    for kind in ("", "--right"):
        yield f"tests/bench/wrong_settings.py {kind}".strip(), report_of_program(kind)


def report_of_program(kind: str) -> Report:
    """Of one window that the hook records of it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(PROGRAM), folder, *([kind] if kind else [])]
        subprocess.run(command, check=True, capture_output=True)
        return build_report(next(pathlib.Path(folder).glob("*.trace.json.gz")))


def main(traces: pathlib.Path, mirrors: pathlib.Path) -> None:
    """Keep the example with the worst finding, and the first that passed."""
    failed: dict[str, tuple[int, str]] = {}
    passed: dict[str, str] = {}
    counted: collections.Counter[tuple[str, str]] = collections.Counter()
    for name, report in reports(traces, mirrors):
        for check in report.checks:
            counted[check.rule, check.state] += 1
            if check.finding is not None:
                failed[check.rule] = min(failed.get(check.rule, (99999, "")), (int(check.finding), name))
            elif check.state == "passed":
                passed.setdefault(check.rule, name)
    rows = {
        rule.code: {"failed": failed.get(rule.code, (0, ""))[1], "passed": passed.get(rule.code, "")}
        for rule in RULES
    }
    EXAMPLES.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(HEAD)
    for code, row in rows.items():
        cells = [
            f"{row[state]} ({counted[code, state]})" if row[state] else "none known"
            for state in ("failed", "passed")
        ]
        print(f"| {code} | {cells[0]} | {cells[1]} |")
    both = sum(all(row.values()) for row in rows.values())
    one = sum(any(row.values()) for row in rows.values())
    print(f"\n{datetime.date.today()}: {len(rows)} checks, {both} with both, {one} with one at least.")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
