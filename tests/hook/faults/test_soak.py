"""A training of weeks: what it holds does not grow with its windows, nor with its steps."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from script_runner import Ended, ScriptRunner, side_by_side

from tbprof.hook.run_summary import RUN_WARNINGS_PREFIX

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc")

TRAINING = Path(__file__).with_name("many_windows.py")

MOST_GROWTH_BYTES = 5_000_000
"""Above what torch's own handler grows by in as many windows."""

MOST_OBJECTS = 200
"""Python objects that can't be collected, likewise: those of windows that wait for their turn."""

MILLION_STEPS = """
import json, sys
import tbprof
from many_windows import held
with tbprof.TrainerHook(sys.argv[1], schedule=tbprof.Schedule(skip_first=10**9), spool=sys.argv[2]) as hook:
    for steps in range(1, 1_000_001):
        hook.step()
        if steps in (10_000, 1_000_000):
            print(json.dumps(held()))
"""


def check_flat(printed: str, first: int, stock: str | None = None) -> None:
    """Compare what is held in the end with what was held early, and with torch's own handler."""
    held = [json.loads(line) for line in printed.splitlines()]
    early, late = held[first], held[-1]
    for name, most in (("memory_bytes", MOST_GROWTH_BYTES), ("objects", MOST_OBJECTS)):
        assert growth(name, printed, first) <= most + (growth(name, stock, first) if stock else 0)
    assert late["threads"] <= early["threads"]
    assert late["python_threads"] == 1
    assert max(each["children"] for each in held) <= 2
    # Those of the processes that publish come and go.
    assert max(each["files"] for each in held) <= early["files"] + 4


def growth(name: str, printed: str, first: int) -> int:
    held = [json.loads(line)[name] for line in printed.splitlines()]
    return int(held[-1] - held[first])


def soak(processes: ScriptRunner, folder: Path, windows: int) -> None:
    def train(how: str) -> Ended:
        place = folder / how
        place.mkdir()
        return processes.run(
            [TRAINING, how, place / "logs", place / "spool", windows], place, {}, limit_s=20_000
        )

    hook, stock = side_by_side(train, ("hook", "stock"))
    assert (hook.exit_code, stock.exit_code) == (0, 0), hook.stderr
    assert [line for line in hook.said if "come faster" not in line and " INFO window " not in line] == []
    check_flat(hook.stdout, min(10, windows // 2), stock.stdout)
    assert len(list((folder / "hook" / "logs").glob("*.tbprof.pb"))) == windows
    assert len(list((folder / "hook" / "logs").glob("*.trace.json.gz"))) == min(windows, 20)
    left = [path.name for path in (folder / "hook" / "spool").rglob("*") if path.is_file()]
    # Written where windows came faster than they were published.
    assert [name for name in left if not name.startswith(RUN_WARNINGS_PREFIX)] == []


@pytest.mark.exhaustive
def test_two_thousand_windows_leave_nothing_behind(processes: ScriptRunner, tmp_path: Path) -> None:
    soak(processes, tmp_path, 2000)


@pytest.mark.exhaustive
def test_a_million_steps_without_a_window_leave_nothing_behind(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    found = f"import sys\nsys.path.append({str(TRAINING.parent)!r})"
    script.write_text(f"{found}\n{MILLION_STEPS}", encoding="utf-8")
    ended = processes.run([script, tmp_path / "logs", tmp_path / "spool"], tmp_path, {}, limit_s=1000)
    assert ended.exit_code == 0, ended.stderr
    check_flat(ended.stdout, first=0)
