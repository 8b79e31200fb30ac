"""Where each check really failed and passed: `python tests/bench/check_examples.py TRACES MIRRORS`.

TRACES holds the public traces of the tests, MIRRORS the clones that `unseen_traces.py` reads.
The programs `wrong_settings.py` and `wrong_requests.py` are run through the hook, plain and with `--right`.
Writes `tests/data/check_examples.json`, with the reason where a check has no example, and prints the table of
`check_examples.md`. The environment's settings are the programs' own.
"""

from __future__ import annotations

import collections
import datetime
import itertools
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

PROGRAMS = ("wrong_settings.py", "wrong_requests.py")

OTHERS = (
    {
        "repository": "Cryptheon/CyclicRouter",
        "path": "trace.json",
        "blob": "f50da2ca62231388eb70aa63c139cd9c2366bf32",
        "name": "cyclic_router",
    },
)
"""Public traces of which nobody wrote down what is true of them."""

_WITH_THE_HOOK = "it takes a GPU and the hook's facts; public traces were recorded without the hook"
_PUBLIC = "no public trace at hand has"
WITHOUT_EXAMPLE = {
    **dict.fromkeys(("DAT03", "DAT04", "PRC05", "SHR01", "CMP03"), _WITH_THE_HOOK),
    **dict.fromkeys(("ENV04", "ENV05", "ENV06", "LCH09"), _WITH_THE_HOOK),
    "ENV03": "it takes a host of four cores or more without a GPU; the examples were recorded on two",
    "SYN07": f"{_PUBLIC} a single read a step that drains the queue at its end",
    "SYN08": f"{_PUBLIC} a gradient scaler",
    "SYN09": f"{_PUBLIC} a thread whose read holds back the training's launches",
    "SYN11": f"{_PUBLIC} launches that wait for their kernels",
    "SYN12": f"{_PUBLIC} anomaly mode or `error_if_nonfinite`",
    "CPY03": f"{_PUBLIC} a loader and an upload of the same size in each step behind its batch",
    "CPY08": f"{_PUBLIC} a tensor that goes to the host and comes back in a step",
    "CPY09": f"{_PUBLIC} a pinned batch on the stream that computes and nothing beside it",
    "CPY10": f"{_PUBLIC} a read that nothing waits for",
    "CPY12": f"{_PUBLIC} shapes and a cast on the host before a copy",
    "CPY13": f"{_PUBLIC} pinned copies of the same link at two speeds",
    "LCH05": f"{_PUBLIC} small grids that hold a tenth of the steps",
    "FUS03": f"{_PUBLIC} an activation written out in one of these spellings",
    "FUS05": f"{_PUBLIC} a cross-entropy written out",
    "OPT02": f"{_PUBLIC} a foreach update that takes long enough beside one pass over the parameters",
    "PRC06": f"{_PUBLIC} a convolution with a bias before a batch norm in a training",
    "CMP01": f"{_PUBLIC} code that is compiled in the steps and a GPU that waits for it",
    "DST01": f"{_PUBLIC} communication all of which is covered",
    "DST06": f"{_PUBLIC} gradients that are exchanged in several passes of an optimizer's step",
    "DST07": f"{_PUBLIC} copies that take longer beside communication",
    "MEM01": f"{_PUBLIC} an allocator that asks the driver in the later half of its steps",
    "MEM03": f"{_PUBLIC} an allocator that takes more beside as much in pieces",
    "MEM04": f"{_PUBLIC} checkpointing that takes less than 1 % of the steps",
    "MEM05": f"{_PUBLIC} memory events of a program that leaks",
    "SHR02": f"{_PUBLIC} clocks that fall within the window",
}
"""By check, why a state of it was not seen."""

HEAD = """# Where each check really failed and passed

Of a trace that holds it: the name of a public trace, or of a program that was run through the hook on a CPU.
Where there is *none* the check rests on its tests, and the row says why. Whether alarms are true is in
`alarms.json` and `unseen_traces.json`.

| check | failed | passed |
|---|---|---|"""


def reports(traces: pathlib.Path, mirrors: pathlib.Path) -> Iterator[tuple[str, Report]]:
    for path in sorted(traces.glob("*/*.json.gz")):
        if path.parent.name not in ("malformed", "straggler_what_if"):
            yield f"{path.parent.name}/{path.name}", build_report(path)
    for row in (*json.loads(JUDGED.read_text(encoding="utf-8")), *OTHERS):
        yield f"{row['repository']}: {row['path']}", report_of_blob(mirrors, row)
    for program, kind in itertools.product(PROGRAMS, ("", "--right")):
        yield f"tests/bench/{program} {kind}".strip(), report_of_program(program, kind)


def report_of_program(program: str, kind: str) -> Report:
    """Of one window that the hook records of it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(HERE / program), folder, *([kind] if kind else [])]
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
    for code, row in rows.items():
        if not all(row.values()):
            row["because"] = WITHOUT_EXAMPLE[code]
    EXAMPLES.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(HEAD)
    for code, row in rows.items():
        cells = [
            f"{row[state]} ({counted[code, state]})" if row[state] else f"none: {row['because']}"
            for state in ("failed", "passed")
        ]
        print(f"| {code} | {cells[0]} | {cells[1]} |")
    seen = [[state for state in ("failed", "passed") if row[state]] for row in rows.values()]
    both, one = (sum(len(states) >= least for states in seen) for least in (2, 1))
    print(f"\n{datetime.date.today()}: {len(rows)} checks, {both} with both, {one} with one at least.")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
