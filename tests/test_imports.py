"""What importing tbprof costs, and what a dashboard's process never holds; each in a fresh interpreter."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

import tbprof

REPOSITORY = Path(__file__).parents[1]
SAMPLE = REPOSITORY / "logs" / "samples" / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz"
POSIX_ONLY = {"fcntl", "grp", "pwd", "resource", "termios"}
EVERYWHERE = ("store", "views", "texts", "plugin", "cli", "preflight", "trace", "analysis", "rules")
"""The layers that run on Windows, too."""


def run_fresh(program: str, *arguments: str) -> str:
    """What a program prints in an interpreter of its own."""
    command = [sys.executable, "-c", program, *arguments]
    ended = subprocess.run(
        command, capture_output=True, text=True, cwd=REPOSITORY, check=False, timeout=PATIENCE_S
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_importing_tbprof_brings_nothing_but_itself() -> None:
    program = (
        "import __future__, importlib, sys, typing; before = set(sys.modules)\n"
        "import tbprof\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    assert run_fresh(program).split() == ["tbprof"]


def test_the_hook_holds_neither_tensorboard_nor_the_reader() -> None:
    # torch itself holds numpy where that is installed.
    program = (
        "import sys; from tbprof import Schedule, TrainerHook\n"
        "print(*(name for name in ('tensorboard', 'isal', 'google.protobuf', 'tbprof.trace',"
        " 'tbprof.store') if name in sys.modules))"
    )
    pytest.importorskip("torch")
    assert run_fresh(program).split() == []


def test_the_tab_can_not_read_a_stored_report_in_tensorboards_process() -> None:
    program = (
        "import sys, tbprof.plugin.serving\n"
        "print(*(name for name in ('google.protobuf', 'tbprof.store.codec', 'tbprof.report')"
        " if name in sys.modules))"
    )
    assert run_fresh(program).split() == []


def test_a_tensorboard_whose_tab_nobody_opens_imports_next_to_nothing_of_it() -> None:
    program = (
        "import sys\nfrom tensorboard.plugins import base_plugin\n"
        "from tbprof.plugin.loader import TbprofLoader\n"
        "TbprofLoader().load(base_plugin.TBContext(logdir=sys.argv[1])).get_plugin_apps()\n"
        "print(*(name for name in sys.modules if name.startswith(('tbprof.', 'msgspec'))))"
    )
    loaded = {"tbprof.version", "tbprof.plugin", "tbprof.plugin.loader", "tbprof.plugin.plugin"}
    assert set(run_fresh(program, str(SAMPLE)).split()) <= loaded


def test_the_command_line_holds_neither_torch_nor_tensorboard() -> None:
    program = (
        "import sys, tbprof.cli.main as main\n"
        "code = main.main(['report', sys.argv[1], '--format', 'json', '--no-cache'])\n"
        "print('\\n' + ' '.join(name for name in ('torch', 'tensorboard') if name in sys.modules))"
    )
    assert run_fresh(program, str(SAMPLE)).splitlines()[-1] == ""


@pytest.mark.slow
def test_preflight_holds_the_pages_of_the_rules_and_nothing_that_they_search_with() -> None:
    program = (
        "import sys, torch\n"
        "from tbprof import Preflight\n"
        "with Preflight(steps=None) as watched:\n"
        "    torch.ones(2, device='cuda').sum().item()\n"
        "print(*(finding.fix.split()[0] for finding in watched.prediction.findings))\n"
        "print(*(name for name in ('google.protobuf', 'tbprof.analysis', 'tbprof.rules.base', 'tbprof.trace')"
        " if name in sys.modules))"
    )
    pytest.importorskip("torch")
    assert run_fresh(program).splitlines() == ["Add", ""]


def test_the_processes_that_read_reports_for_the_tab_start_without_numpy() -> None:
    # The first page of a window waits for one of them to start.
    program = (
        "import sys, tbprof.plugin.worker.report_main\n"
        "print(*(name for name in ('numpy', 'tbprof.report', 'tbprof.analysis') if name in sys.modules))"
    )
    assert run_fresh(program).split() == []


def test_a_command_holds_nothing_of_the_others() -> None:
    # What publishes a window runs beside every training.
    program = (
        "import sys, tbprof.cli.main as main\n"
        "main.main(['publish', 'no.pt.trace.json', '--logdir', 'logs'])\n"
        "others = ('tbprof.views.check', 'tbprof.views.window', 'tbprof.cli.commands.check')\n"
        "of_trainings = ('tbprof.hook.spool', 'tbprof.hook.orphan_recovery',"
        " 'logging', 'socket')\n"
        "print(*(name for name in sys.modules if name.startswith((*others, *of_trainings))))"
    )
    assert run_fresh(program).split() == []


TENSORBOARD = """
import json, sys, time
from importlib.metadata import entry_points
from tensorboard import default
from tensorboard.backend import application
from tensorboard.plugins import base_plugin
from werkzeug.test import Client

[entry] = entry_points(group="tensorboard_plugins", name="tbprof")
loader = entry.load()()
loaded_first = sorted(name for name in sys.modules if name.startswith("tbprof"))

import argparse
parser = argparse.ArgumentParser()
loader.define_flags(parser)
flags = parser.parse_args([])
flags.logdir, flags.logdir_spec = sys.argv[1], ""
plugin = loader.load(base_plugin.TBContext(flags=flags, logdir=flags.logdir))
client = Client(application.TensorBoardWSGI([plugin]))

[run] = client.get("/data/plugin/tbprof/runs").json["runs"]
[worker] = run["workers"]
place = {"run": run["run"], "worker": worker["worker"], "window": worker["windows"][0]["window"]}
deadline = time.monotonic() + 40
while True:
    answer = client.get("/data/plugin/tbprof/window", query_string=place).json
    if answer["state"] != "reading" or time.monotonic() > deadline:
        break
    time.sleep(0.1)
held = [name for name in ("torch", "torchvision", "tensorflow", "pandas") if name in sys.modules]
print(json.dumps({"state": answer["state"], "held": held, "loaded_first": loaded_first}))
"""


def test_tensorboards_process_never_holds_torch(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    shutil.copy(SAMPLE, run)
    told = json.loads(run_fresh(TENSORBOARD, str(tmp_path / "logs")).splitlines()[-1])
    assert told["state"] == "ready"
    assert told["held"] == []
    # A failing import of the loader would end TensorBoard: it brings nothing but itself.
    assert told["loaded_first"] == ["tbprof", "tbprof.plugin", "tbprof.plugin.loader"]


def unguarded_posix_imports(path: Path) -> list[str]:
    """POSIX-only modules that a file imports outside every `try` and every `if`."""
    found = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Try, ast.If))
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in guarded:
            continue
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name in POSIX_ONLY]
        elif isinstance(node, ast.ImportFrom) and node.module in POSIX_ONLY:
            found.append(node.module)
    return found


@pytest.mark.slow
def test_the_viewer_imports_no_posix_only_module_unguarded() -> None:
    package = REPOSITORY / "tbprof"
    files = [*package.glob("*.py"), *(path for name in EVERYWHERE for path in (package / name).rglob("*.py"))]
    assert {str(path): found for path in files if (found := unguarded_posix_imports(path))} == {}


def test_the_look_for_posix_only_modules_sees_one(tmp_path: Path) -> None:
    bare = tmp_path / "bare.py"
    bare.write_text("import os\ndef lock():\n    import fcntl\nfrom pwd import getpwuid", encoding="utf-8")
    assert sorted(unguarded_posix_imports(bare)) == ["fcntl", "pwd"]
    guarded = tmp_path / "guarded.py"
    guarded.write_text("try:\n    import fcntl\nexcept ImportError:\n    pass", encoding="utf-8")
    assert unguarded_posix_imports(guarded) == []


def test_the_public_names_are_loaded_on_first_use() -> None:
    pytest.importorskip("torch")
    assert all(getattr(tbprof, name) is not None for name in tbprof.__all__)
    with pytest.raises(AttributeError, match="no attribute 'TrainHook'"):
        _ = tbprof.TrainHook
