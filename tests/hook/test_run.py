"""A program that knows nothing of the hook, run with it: the same output, the same end, and a window."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from script_runner import Ended, ScriptRunner
from trainings import facts_in, published_soon

import tbprof
from tbprof.hook.arguments import option
from tbprof.hook.options import HookOptions
from tbprof.hook.run import _logdir, main, options_of, parser

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import os, sys
import torch

print(sys.argv, __name__, __file__, os.path.basename(sys.path[0]))
weights = torch.ones(4, requires_grad=True)
optimizer, other = torch.optim.SGD([weights], lr=0.1), torch.optim.SGD([weights], lr=0.1)
for step in range(20):
    loss = (weights ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    other.step()
    print(loss.item())
"""
ENDINGS = {
    "with a sentence": "sys.exit('no more data')",
    "with an exception": "def fail():\n    raise ValueError('broken')\nfail()",
    "with a signal": "import signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(9)",
}


def start(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
    )


def start_watched(processes: ScriptRunner, folder: Path, *arguments: str) -> Ended:
    """The same as `tbprof run`, without the wait for torch."""
    return processes.run(["-m", "tbprof.hook.run", *arguments], folder, os.environ)


def start_both(folder: Path, program: str) -> list[subprocess.CompletedProcess[str]]:
    """A program alone, and run with the hook meanwhile."""
    (folder / "train.py").write_text(program)
    hook = ("-m", "tbprof", "run")
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda how: start(folder, *how, "train.py", "--lr", "3"), ((), hook)))


def theirs(stderr: str) -> list[str]:
    """The lines of stderr that are neither ours nor Kineto's."""
    ours = ("tbprof: ", "USDT:")
    return [line for line in stderr.splitlines() if not line.startswith(ours)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "ending",
    [
        "with a signal",
        pytest.param("with a sentence", marks=pytest.mark.exhaustive),
        pytest.param("with an exception", marks=pytest.mark.exhaustive),
    ],
)
def test_it_prints_and_ends_as_it_does_alone(tmp_path: Path, ending: str) -> None:
    alone, watched = start_both(tmp_path, PROGRAM + ENDINGS[ending])
    assert watched.stdout == alone.stdout
    assert watched.returncode == alone.returncode
    assert theirs(watched.stderr) == theirs(alone.stderr)


def test_the_steps_of_its_first_optimizer_become_a_window(processes: ScriptRunner, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    done = start_watched(processes, tmp_path, "--skip-first", "4", "--active", "2", "train.py")
    assert "tbprof: " in done.stderr
    assert list((tmp_path / "logs" / "train").glob("*.tbprof.pb")) or "Still being published" in done.stderr


def test_a_run_can_be_given_for_torch_s_callbacks_and_nobody_is_left_in_them(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    listening = "from torch.cuda._gpu_trace import DeviceSynchronizationCallbacks as called"
    (tmp_path / "train.py").write_text(f"{PROGRAM}\n{listening}\nprint(called.callback_list)\n")
    short = ("--skip-first", "4", "--active", "2")
    done = start_watched(processes, tmp_path, *short, "--sync-callbacks", "train.py")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == "[]"
    assert "window 0" in done.stderr or "Still being published" in done.stderr


PREEMPTED = """
import os, signal, sys, torch
import tbprof.hook.session as session

def preempt(*_):
    raise TimeoutError("saved")

def is_at_work(*arguments):
    signal.raise_signal(signal.SIGUSR1)

signal.signal(signal.SIGUSR1, preempt)
session.Session.after_step = is_at_work
weights = torch.ones(4, requires_grad=True)
optimizer = torch.optim.SGD([weights], lr=0.1)
for step in range(30):
    (weights ** 2).sum().backward()
    try:
        optimizer.step()
    except TimeoutError as saved:
        print(step, saved)
"""


def test_what_a_signal_handler_raises_ends_the_profiling_with_one_sentence(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(PREEMPTED)
    done = start_watched(processes, tmp_path, "--skip-first", "4", "--active", "2", "train.py")
    assert done.exit_code == 0, done.stderr
    assert done.stdout == "3 saved\n"
    assert done.stderr.count("Profiling ends here") == 1


@pytest.mark.parametrize("ending", ["torch.ones(1).cuda()", "sys.exit('this needs CUDA')"])
def test_a_program_that_insists_on_a_gpu_is_sent_to_preflight(
    processes: ScriptRunner, tmp_path: Path, ending: str
) -> None:
    (tmp_path / "train.py").write_text(f"import sys, torch\n{ending}\n")
    done = start_watched(processes, tmp_path, "train.py")
    assert done.exit_code == 1
    assert "tbprof preflight train.py runs the program without one" in done.stderr


def test_a_module_is_run_as_python_does(processes: ScriptRunner, tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "train.py").write_text("import sys\nprint(__name__, __package__, sys.argv[1:], sys.path[0])\n")
    alone = start(tmp_path, "-m", "package.train", "--lr", "3")
    watched = start_watched(processes, tmp_path, "-m", "package.train", "--lr", "3")
    assert watched.stdout == alone.stdout
    assert "No window was recorded: no optimizer stepped (--step-on names what else ends" in watched.stderr
    assert "step() was never called" not in watched.stderr


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        (["-m", "package.train"], "logs/package.train"),
        (["folder/train.v2.py"], "logs/train.v2"),
        (["-m", "package.train", "--logdir", "elsewhere"], "logs/package.train"),
        (["--logdir", "elsewhere", "-m", "package.train"], "elsewhere"),
    ],
)
def test_each_program_has_a_folder_of_its_own(arguments: list[str], folder: str) -> None:
    assert _logdir(parser(HookOptions).parse_args(arguments)) == folder


def test_a_script_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = start(tmp_path, "-m", "tbprof", "run", "nothing.py")
    assert done.returncode == 2
    assert "nothing.py is no file" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("module", ["nosuchmodule", "package.nosuchmodule", "package"])
def test_a_module_that_is_not_there_is_said_as_python_does(
    processes: ScriptRunner, tmp_path: Path, module: str
) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    alone = start(tmp_path, "-m", module)
    watched = start_watched(processes, tmp_path, "-m", module)
    said = [line.partition(": ")[2] for line in (*alone.stderr.splitlines(), *watched.stderr.splitlines())]
    assert len(said) == 2
    assert said[0] == said[1]
    assert watched.exit_code == alone.returncode == 1


def test_an_import_of_the_program_that_fails_is_shown_whole(processes: ScriptRunner, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import nosuchmodule\n")
    done = start_watched(processes, tmp_path, "-m", "train")
    assert "train.py" in done.stderr
    assert "ModuleNotFoundError: No module named 'nosuchmodule'" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--active", "0"), "Schedule: active is 0, so that nothing would be recorded; give 1 or more"),
        (("--skip-first", "-1"), "Schedule: skip_first is -1; give 0 or more"),
        (("--active", "many"), "argument --active: invalid int value: 'many'"),
        (("--keep-windows", "0"), "TrainerHook: keep_windows is 0; give 1 or more"),
        (("--slow-steps-factor", "0.5"), "SlowSteps: factor is 0.5; give a number above 1, such as 3"),
        (
            ("--logdir", "s3://"),
            "TrainerHook: s3:// names no folder: give an address such as s3://bucket/runs",
        ),
        (("--step-on", "train"), "'train' names no function; write package.module:function or"),
        (("--step-on", "nowhere.at:all"), "--step-on nowhere.at:all: there is no module 'nowhere'"),
        (("--step-on", "__main__:fit"), "train.py defines no fit"),
        (("--actve", "3"), "unrecognized arguments: --actve"),
    ],
)
def test_an_option_that_can_t_be_used_is_said_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "train.py").write_text("def train():\n    pass\n")
    with pytest.raises(SystemExit) as ended:
        main([*options, str(tmp_path / "train.py")])
    (line,) = capfd.readouterr().err.splitlines()
    assert said in line
    assert line.endswith("; tbprof run --help shows the options")
    assert ended.value.code == 2


def test_each_option_of_the_hook_can_be_given(tmp_path: Path) -> None:
    given = (
        "--with-stack --record-shapes --profile-memory --with-flops --with-modules --worker w"
        " --no-record-lines --no-mark-modules --record-inputs --memory --sync-callbacks --no-embed-source"
        " --no-whole-run --no-trackers --max-stall-ms 10 --keep-windows 3 --keep-bytes 1000 --spool /spool"
        " --skip-first 1 --wait 2 --warmup 4 --active 6 --repeat 0"
        " --steps 100,5000 --slow-steps-factor 4 --slow-steps-cool-down 7 --slow-steps-at-most 8"
    )
    asked = parser(HookOptions).parse_args([*given.split(), str(tmp_path)])
    options = options_of(asked, HookOptions)
    assert options.schedule == tbprof.Schedule(
        skip_first=1,
        wait=2,
        warmup=4,
        active=6,
        repeat=0,
        steps=(100, 5000),
        slow_steps=tbprof.SlowSteps(factor=4, cool_down=7, at_most=8),
    )
    unchanged = [
        option.name
        for option in dataclasses.fields(HookOptions)
        if getattr(options, option.name) == getattr(HookOptions(), option.name)
    ]
    assert unchanged == []


def test_without_options_the_defaults_hold() -> None:
    assert options_of(parser(HookOptions).parse_args(["train.py"]), HookOptions) == HookOptions()


def test_an_option_that_is_added_to_the_record_can_be_given() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class MoreOptions(HookOptions):
        color_of_tab: str = dataclasses.field(default="blue", metadata=option("50 % of what users see"))
        is_loud: bool = dataclasses.field(default=True, metadata=option("say more"))

    asked = parser(MoreOptions)
    shown = " ".join(asked.format_help().split())
    assert "--color-of-tab COLOR_OF_TAB 50 % of what users see; default: blue" in shown
    assert "--is-loud, --no-is-loud say more; default: yes" in shown
    options = options_of(asked.parse_args(["--color-of-tab", "red", "--no-is-loud", "train.py"]), MoreOptions)
    assert (options.color_of_tab, options.is_loud) == ("red", False)


def test_the_command_shows_the_options_without_torch(tmp_path: Path) -> None:
    shown = start(tmp_path, "-X", "importtime", "-m", "tbprof.hook.run", "--help")
    assert shown.returncode == 0
    assert "--no-embed-source" in shown.stdout
    assert "torch" not in {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}
    assert start(tmp_path, "-m", "tbprof", "run", "--help").stdout == shown.stdout


SETTING = """
import torch
weights = torch.ones(4, requires_grad=True)
def step(*optimizers):
    for optimizer in optimizers:
        (weights ** 2).sum().backward()
        optimizer.step()
def sgd(): return torch.optim.SGD([weights], lr=0.1)
"""
STEPPING = {
    "a probe before the training": "probe, training = sgd(), torch.optim.AdamW([weights])\n"
    "for _ in range(3): step(probe)\n"
    "for _ in range(20): step(training)",
    "an optimizer in each fold": "for fold in range(6):\n    optimizer = sgd()\n"
    "    for _ in range(3): step(optimizer)",
    "an optimizer in each phase": "phases = [sgd(), sgd()]\n"
    "for phase in phases:\n    for _ in range(12): step(phase)",
    "two optimizers in turn": "generator, discriminator = sgd(), sgd()\n"
    "for _ in range(12): step(discriminator, generator)",
}


@pytest.mark.slow
@pytest.mark.parametrize("program", STEPPING)
def test_steps_are_those_of_the_optimizer_that_really_steps(
    processes: ScriptRunner, tmp_path: Path, program: str
) -> None:
    (tmp_path / "train.py").write_text(SETTING + STEPPING[program])
    short = ("--skip-first", "3", "--warmup", "1", "--active", "2", "--logdir", "logs")
    done = start_watched(processes, tmp_path, *short, "train.py")
    assert done.exit_code == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("tbprof: ")]
    assert said[0] == "tbprof: Steps are those of SGD, the first optimizer that stepped."
    published_soon(tmp_path / "logs")
    (facts,) = facts_in(tmp_path / "logs")
    assert facts["recorded_steps"] == 2
    assert ("From here on" in done.stderr) == (program != "two optimizers in turn")


BY_HAND = """
import torch, trainer
weights = torch.ones(4, requires_grad=True)
def move():
    with torch.no_grad(): weights.sub_(0.1 * weights.grad)
def train_step():
    (weights ** 2).sum().backward()
    move()
    return torch.tensor(1.0).item()
class Loop:
    @staticmethod
    def once(): return train_step()
for _ in range(12):
    Loop.once()
    trainer.Trainer().after_batch()
print("done", move.__name__, train_step.__name__)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["__main__:train_step", "__main__:Loop.once", "trainer:Trainer.after_batch", "torch:Tensor.backward"],
)
def test_a_program_without_optimizers_is_counted_by_a_function(
    processes: ScriptRunner, tmp_path: Path, name: str
) -> None:
    (tmp_path / "train.py").write_text(BY_HAND)
    (tmp_path / "trainer.py").write_text("class Trainer:\n    def after_batch(self): return self\n")
    short = ("--skip-first", "3", "--warmup", "1", "--active", "2", "--logdir", "logs")
    done = start_watched(processes, tmp_path, *short, "--step-on", name, "train.py")
    assert done.stdout == processes.run(["train.py"], tmp_path, os.environ).stdout
    published_soon(tmp_path / "logs")
    (facts,) = facts_in(tmp_path / "logs")
    assert (facts["first_step"], facts["recorded_steps"]) == (4, 2)
    (call,) = [call for call in facts["audit"]["calls"] if call["call"] == "item"]
    assert call["count"] == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("trainer:Trainer.fit", "trainer:Trainer.fit can't be found (type object 'Trainer' has no attribute"),
        ("torch.nn.nowhere:f", "No step was counted: torch.nn.nowhere:f never returned, or"),
    ],
)
def test_a_function_that_never_comes_is_said_and_the_program_runs(
    processes: ScriptRunner, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "train.py").write_text(BY_HAND)
    (tmp_path / "trainer.py").write_text("class Trainer:\n    def after_batch(self): return self\n")
    done = start_watched(processes, tmp_path, "--step-on", name, "train.py")
    assert (done.exit_code, done.stdout[:4]) == (0, "done")
    assert said in done.stderr
