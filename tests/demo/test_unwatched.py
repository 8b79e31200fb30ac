"""The demo's two losses under preflight: what `tbprof demo` shows where there is no GPU."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tbprof.cli.input.preflight_document import document_recording
from tbprof.cli.processes.preflight_child import run_preflight
from tbprof.demo import before

FAULTS = {
    "torch.tensor(WEIGHTS, device=device)": "CPY05",
    "assert labels.max() < logits.shape[1]": "SYN02",
    "[range(len(labels)), labels]": "CPY05",
}


def lines_of(found: set[tuple[str, int | None, str]]) -> dict[str, str]:
    """The text of each line, with its rule."""
    assert {file for file, _, _ in found} <= {"tbprof/demo/before.py"}
    lines = Path(before.__file__).read_text(encoding="utf-8").splitlines()
    return {lines[(line or 0) - 1]: rule for _, line, rule in found}


@pytest.mark.skipif(torch.cuda.is_available(), reason="preflight is for machines without a GPU")
@pytest.mark.parametrize(
    ("name", "faults"), [("before", FAULTS), pytest.param("after", {}, marks=pytest.mark.exhaustive)]
)
def test_preflight_names_the_faults_and_nothing_else(name: str, faults: dict[str, str]) -> None:
    document = run_preflight("tbprof.demo.unwatched", [name], ["--module", "--steps", "1"])
    found = document_recording(document, name).found
    shown = lines_of({(finding.file, finding.line, finding.rule) for finding in found})
    assert len(shown) == len(faults)
    for code, rule in faults.items():
        assert [shown[line] for line in shown if code in line] == [rule]
