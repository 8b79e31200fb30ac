"""Other processes on the GPU, as the driver's library lists them to the process that publishes."""

from __future__ import annotations

import json
import os
import sys
import types
from pathlib import Path

import pytest

from tbprof.cli.commands.publish import add_other_processes, other_processes

GPU = "GPU-00000000-0000-0000-0000-000000000000"


def library(pids: list[int], error: Exception | None = None) -> types.ModuleType:
    """What is used of `nvidia-ml-py`."""

    def handle(gpu: str) -> str:
        assert gpu == GPU
        if error is not None:
            raise error
        return "handle"

    nvml = types.ModuleType("pynvml")
    nvml.nvmlInit = nvml.nvmlShutdown = lambda: None
    nvml.nvmlDeviceGetHandleByUUID = handle
    nvml.nvmlDeviceGetComputeRunningProcesses = lambda _: [types.SimpleNamespace(pid=pid) for pid in pids]
    return nvml


@pytest.mark.parametrize(
    ("pids", "others"), [([], 0), ([4711], 0), ([4711, 12], 1), ([12], 0), ([12, 13], 1)]
)
def test_the_training_is_one_of_those_that_are_listed(
    monkeypatch: pytest.MonkeyPatch, pids: list[int], others: int
) -> None:
    """Under its own number, or under one that only the machine outside of its container knows."""
    monkeypatch.setitem(sys.modules, "pynvml", library(pids))
    assert other_processes(GPU, 4711) == others


def test_without_the_library_nobody_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    facts = tmp_path / "w.facts.json"
    facts.write_text('{"window": 0}')
    add_other_processes(facts, GPU, os.getppid())
    assert json.loads(facts.read_text()) == {"window": 0, "other_gpu_processes": None}


def test_a_driver_that_does_not_answer_is_named_and_costs_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", library([], RuntimeError("Not Supported")))
    facts = tmp_path / "w.facts.json"
    facts.write_text('{"window": 0, "missing": []}')
    add_other_processes(facts, GPU, os.getppid())
    missing = [{"name": "other_gpu_processes", "reason": "RuntimeError: Not Supported"}]
    assert json.loads(facts.read_text()) == {"window": 0, "missing": missing}


@pytest.mark.parametrize("text", ["", "[1", "5"])
def test_facts_that_are_none_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", library([4711]))
    facts = tmp_path / "w.facts.json"
    facts.write_text(text)
    add_other_processes(facts, GPU, os.getppid())
    assert facts.read_text() == text
