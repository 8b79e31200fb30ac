"""Two processes of torchrun under `tbprof run`, whatever framework trains, and under preflight."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from script_runner import ScriptRunner

from tbprof.model import Report
from tbprof.store.discovery import Discovery
from tbprof.store.windows import read_report
from tbprof.trace.importers.sniffing import looks_like_trace

PROGRAMS = Path(__file__).parent
UNEDITED = PROGRAMS.parent / "recorded" / "unedited_programs"
PATIENCE_S = 240

PLAIN = """
import torch
from torch.nn.parallel import DistributedDataParallel

torch.distributed.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(30):
    loss = model(torch.randn(4, 8)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.distributed.destroy_process_group()
"""


def on_two_cpus(framework: str) -> str:
    """The framework's unedited program, told to train on two processes of CPUs."""
    if framework == "torch":
        return PLAIN
    changes = {
        "transformers": (),
        "lightning": (('accelerator="cpu"', 'accelerator="cpu", devices=2, strategy="ddp"'),),
        "fabric": (
            (
                'accelerator="auto", devices=1)',
                'accelerator="cpu", devices=2, strategy="ddp")\nfabric.launch()',
            ),
            ("256", "512"),
        ),
        "accelerate": (("Accelerator()", "Accelerator(cpu=True)"), ("64", "512")),
    }[framework]
    own = PROGRAMS / f"{framework}_program.py"
    text = (own if own.exists() else UNEDITED / f"with_{framework}.py").read_text(encoding="utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


@pytest.mark.exhaustive
@pytest.mark.parametrize("framework", ["torch", "transformers", "lightning", "fabric", "accelerate"])
def test_two_ranks_are_two_workers_of_one_run_with_the_same_steps(
    processes: ScriptRunner, framework: str, tmp_path: Path
) -> None:
    if importlib.util.find_spec("lightning" if framework == "fabric" else framework) is None:
        pytest.skip(f"{framework} is not installed: it is in the extra `frameworks`")
    (program := tmp_path / "train.py").write_text(on_two_cpus(framework), encoding="utf-8")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    watched = [*launcher, "-m", "tbprof.hook.run", "--logdir", tmp_path / "logs" / "run", program, "out"]
    environment = {**os.environ, "TBPROF_SPOOL": str(tmp_path / "spool"), "HF_HUB_OFFLINE": "1"}
    ended = processes.run(watched, tmp_path, environment, limit_s=PATIENCE_S)
    assert ended.exit_code == 0, ended.stderr

    listing = Discovery(tmp_path / "logs", looks_like_trace).find()
    assert {window.run for window in listing.windows} == {"run"}
    reports = [read(window.report_path) for window in listing.windows]
    assert sorted(str(report.trace.rank) for report in reports) == ["0", "1"]
    steps = [[step.name for step in report.steps] for report in reports]
    assert steps == [[f"ProfilerStep#{number}" for number in range(13, 18)]] * 2


@pytest.mark.parametrize("differs", [False, True])
def test_of_two_ranks_under_preflight_one_prints_and_the_other_says_whether_it_agrees(
    processes: ScriptRunner, differs: bool, tmp_path: Path
) -> None:
    program = PLAIN.replace('"gloo"', '"nccl"').replace("Linear(8, 8)", 'Linear(8, 8).to("cuda")')
    program = program.replace("randn(4, 8)", 'randn(4, 8, device="cuda")')
    read = "    if torch.distributed.get_rank(): loss.item()\n" if differs else "    loss.item()\n"
    program = program.replace("    optimizer.step()\n", f"{read}    optimizer.step()\n")
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    watched = [*launcher, "-m", "tbprof.preflight", "train.py"]
    ended = processes.run(watched, tmp_path, {**os.environ}, limit_s=PATIENCE_S)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.count("train.py: predicted") == 1 + differs
    assert f"rank 1: {'not as' if differs else 'as'} rank 0" in ended.stderr


def read(path: Path | None) -> Report:
    assert path is not None
    return read_report(path)
