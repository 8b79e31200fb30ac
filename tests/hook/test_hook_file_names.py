"""Source files are named as the trace's own Python frames name them."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from tbprof.hook.file_names import trace_file_name


@pytest.fixture(autouse=True)
def fresh() -> None:
    trace_file_name.cache_clear()


def test_a_file_beneath_the_import_path_loses_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert trace_file_name(str(tmp_path / "models" / "net.py")) == os.path.join("models", "net.py")  # noqa: PTH118


def test_a_file_elsewhere_keeps_its_path_and_a_cell_its_name() -> None:
    assert trace_file_name("/elsewhere/train.py") == "/elsewhere/train.py"
    assert trace_file_name("<ipython-input-1-0a>") == "<ipython-input-1-0a>"


def test_the_profiler_names_files_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "package_of_reads").mkdir()
    module = tmp_path / "package_of_reads" / "reads.py"
    module.write_text("def read_it(tensor):\n    return tensor.item()\n")
    read_it = importlib.import_module("package_of_reads.reads").read_it
    with profile(activities=[ProfilerActivity.CPU], with_stack=True) as profiler:
        read_it(torch.ones(()))
    profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    names = {event["name"] for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert f"{trace_file_name(str(module))}(1): read_it" in names
