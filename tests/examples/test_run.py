"""Every example runs as it stands, and does what it says."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path

import pytest
from script_runner import ScriptRunner
from timeouts import PATIENCE_S

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

FRAMEWORKS = {
    "accelerate_loop.py": "accelerate",
    "fastai_learner.py": "fastai",
    "ignite_engine.py": "ignite",
    "keras_fit.py": "keras",
    "lightning_trainer.py": "lightning",
    "mmengine_runner.py": "mmengine",
    "skorch_net.py": "skorch",
    "stable_baselines3_ppo.py": "stable_baselines3",
    "transformers_trainer.py": "transformers",
    "ultralytics_classify.py": "ultralytics",
}
"""What each example of a framework needs."""

ALWAYS_RUN = ("transformers_trainer.py",)


def run_example(processes: ScriptRunner, folder: Path, name: str, *arguments: Path) -> str:
    environment = {**os.environ, "TBPROF_SPOOL": str(folder / "spool"), "HF_HUB_OFFLINE": "1"}
    done = processes.run([EXAMPLES / name, *arguments], folder, environment, limit_s=PATIENCE_S)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def published_report(logdir: Path) -> Path:
    """Wait for the window: on a busy machine its publishing outlives the training."""
    deadline = time.monotonic() + 60
    while not list(logdir.glob("*.trace.json.gz")) and time.monotonic() < deadline:
        time.sleep(0.05)
    (report,) = logdir.glob("*.tbprof.pb")
    return report


def test_each_example_is_tested_here_and_short() -> None:
    examples = {path.name: len(path.read_text().splitlines()) for path in EXAMPLES.glob("*.py")}
    assert set(examples) == {"accumulation_and_evaluation.py", "plain_loop.py", "read_report.py"}
    assert max(examples.values()) < 60
    frameworks = {path.name: len(path.read_text().splitlines()) for path in EXAMPLES.glob("frameworks/*.py")}
    assert frameworks.keys() == FRAMEWORKS.keys()
    assert max(frameworks.values()) < 60


@pytest.fixture(scope="module")
def plain_run(processes: ScriptRunner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory of the plain loop."""
    logdir = tmp_path_factory.mktemp("plain") / "logs"
    assert "mean loss" in run_example(processes, logdir.parent, "plain_loop.py", logdir)
    return logdir


def test_the_plain_loop_publishes_its_window(plain_run: Path) -> None:
    assert published_report(plain_run).exists()


def test_a_report_can_be_read_from_python(processes: ScriptRunner, tmp_path: Path, plain_run: Path) -> None:
    published_report(plain_run)
    lines = run_example(processes, tmp_path, "read_report.py", plain_run).splitlines()
    assert lines[0].endswith("5 steps, 0 sync points")
    assert [line.split(":")[0].strip() for line in lines[1:6]] == [f"ProfilerStep#{n}" for n in range(13, 18)]


def test_reading_shows_the_lines_that_wait_on_a_gpu(
    processes: ScriptRunner, tmp_path: Path, traces: Path
) -> None:
    trace = next((traces / "h100_bert_small_infer").glob("*.json.gz"))
    lines = run_example(processes, tmp_path, "read_report.py", trace).splitlines()
    assert lines[0].endswith("1 steps, 2 sync points")
    assert [line.split()[4] for line in lines[2:]] == ["cudaMemcpyAsync", "cudaDeviceSynchronize"]


def test_steps_of_several_batches_with_an_evaluation_between_them(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    output = run_example(processes, tmp_path, "accumulation_and_evaluation.py", tmp_path / "logs")
    assert output.splitlines()[0] == (
        "steps 0-15 left alone, steps 16-17 warm-up, steps 18-20 recorded; then nothing more"
    )
    assert output.count("accuracy") == 3
    assert published_report(tmp_path / "logs").exists()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in ALWAYS_RUN else pytest.mark.exhaustive) for name in FRAMEWORKS],
)
def test_the_callback_of_a_framework_publishes_a_window(
    processes: ScriptRunner, tmp_path: Path, name: str
) -> None:
    if importlib.util.find_spec(FRAMEWORKS[name]) is None:
        pytest.skip(
            f"{FRAMEWORKS[name]} is not installed: it is in an extra, `frameworks` or `more-frameworks`"
        )
    example, logdir = EXAMPLES / "frameworks" / name, tmp_path / "logs"
    run_example(processes, tmp_path, "../tests/examples/run_with_torchvision.py", example, logdir)
    assert published_report(tmp_path / "logs").exists()
