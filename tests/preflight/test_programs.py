"""Programs whose lines are marked with what a GPU would wait for there: all of them, and no others."""

from __future__ import annotations

import importlib.util
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from marked_programs import PROGRAMS, marks, predicted_lines, run_alone, run_here
from script_runner import ScriptRunner

pytest.importorskip("torch")

REPOSITORY = Path(__file__).parents[2]
IN_PROCESS = sorted(path.stem for path in PROGRAMS.glob("*.py") if not path.stem.startswith("alone_"))
FRAMEWORKS = {"trainer": "transformers", "lightning": "lightning", "accelerate": "accelerate"}


@pytest.mark.parametrize("name", IN_PROCESS)
def test_the_marked_lines_are_predicted_and_no_others(name: str) -> None:
    program = PROGRAMS / f"{name}.py"
    predicted = run_here(program)
    assert predicted["preflight"]["error"] == ""
    assert predicted_lines(predicted) == marks(program)
    assert name.endswith("_fixed") == (marks(program) == set())


@pytest.mark.parametrize(
    "name",
    [
        "trainer",
        "lightning",
        pytest.param("accelerate", marks=pytest.mark.exhaustive),
        pytest.param("trainer_fixed", marks=pytest.mark.exhaustive),
        pytest.param("lightning_fixed", marks=pytest.mark.exhaustive),
    ],
)
def test_lines_in_frameworks_and_beneath_them_are_predicted(
    processes: ScriptRunner, tmp_path: Path, name: str
) -> None:
    if importlib.util.find_spec(FRAMEWORKS[name.split("_")[0]]) is None:
        pytest.skip("the framework is not installed: it is in the extra `frameworks`")
    program = PROGRAMS / f"alone_{name}.py"
    predicted = run_alone(processes, tmp_path, program)
    assert predicted_lines(predicted) == marks(program)
    assert name.endswith("_fixed") == (marks(program) == set())


@pytest.mark.parametrize(
    ("name", "ranks"),
    [
        ("ddp", 2),
        pytest.param("ddp", 1, marks=pytest.mark.exhaustive),
        pytest.param("ddp_fixed", 2, marks=pytest.mark.exhaustive),
    ],
)
def test_each_process_of_a_data_parallel_training_predicts_its_own(
    processes: ScriptRunner, tmp_path: Path, name: str, ranks: int
) -> None:
    program = PROGRAMS / f"alone_{name}.py"
    world = {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1"}
    world["MASTER_PORT"] = str(free_port())

    def run(rank: int) -> Any:
        own = {**world, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        return run_alone(processes, tmp_path / str(rank), program, **own)

    with ThreadPoolExecutor(ranks) as pool:
        for predicted in pool.map(run, range(ranks)):
            assert predicted_lines(predicted) == marks(program)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_an_emptied_cache_and_linear_algebra_are_told_by_their_own_rules() -> None:
    predicted = run_here(PROGRAMS / "api_forms.py")
    rules = {
        predicted["sites"][finding["sites"][0]]["call"]: finding["rule"] for finding in predicted["findings"]
    }
    assert rules["empty_cache"] == "MEM02"
    assert rules["linalg_inv_ex"] == rules["_linalg_eigh"] == "SYN01"


DEMO = """
import torch
from tbprof.demo.{form} import PatchLoss

device = torch.device("cuda")
model = torch.nn.Linear(16, 8192).to(device)
optimizer = torch.optim.AdamW(model.parameters())
patch_loss = PatchLoss(device)
for _step in range(8):
    labels = torch.randint(8192, (4,), device=device)
    loss = patch_loss(model(torch.randn(4, 16, device=device)), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_the_four_faults_of_the_demo_are_predicted(tmp_path: Path) -> None:
    if importlib.util.find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed: it is in the extra `demo`")
    found = {
        (finding["rule"], code_at(site["source"])) for finding, site in demo_findings(tmp_path, "before")
    }
    assert found == {
        ("CPY05", "self.weights = torch.tensor(WEIGHTS, device=device)"),
        ("SYN02", 'assert labels.max() < logits.shape[1], "a label is out of range"'),
        ("CPY05", "picked = logits.log_softmax(dim=1)[range(len(labels)), labels]"),
    }
    assert demo_findings(tmp_path, "after") == []


def demo_findings(folder: Path, form: str) -> list[tuple[dict[str, str], dict[str, dict[str, int]]]]:
    program = folder / f"{form}.py"
    program.write_text(
        "from tbprof.demo.torchvision_import import import_torchvision\nimport_torchvision()\n"
        + DEMO.format(form=form),
        encoding="utf-8",
    )
    predicted = run_here(program)
    assert predicted["preflight"]["ending"] == "stopped"
    return [(finding, predicted["sites"][finding["sites"][0]]) for finding in predicted["findings"]]


def code_at(source: dict[str, int]) -> str:
    lines = (REPOSITORY / str(source["file"])).read_text(encoding="utf-8").splitlines()
    return lines[source["line"] - 1].strip()
