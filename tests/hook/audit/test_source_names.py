"""Source files are named as the trace's own Python frames name them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tbprof.hook.audit.source_text import trace_file_name

if TYPE_CHECKING:
    from conftest import RunScript


def test_a_file_beneath_the_import_path_loses_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert trace_file_name(str(tmp_path / "models" / "net.py")) == os.path.join("models", "net.py")  # noqa: PTH118


def test_a_file_elsewhere_keeps_its_path_and_a_cell_its_name() -> None:
    assert trace_file_name("/elsewhere/train.py") == "/elsewhere/train.py"
    assert trace_file_name("<ipython-input-1-0a>") == "<ipython-input-1-0a>"


@pytest.mark.slow
def test_the_profiler_names_files_the_same_however_the_path_grows(run_script: RunScript) -> None:
    """In a process of its own, since torch takes the folders once."""
    ended = run_script(
        """
        import json, sys
        from pathlib import Path

        import tbprof
        import torch
        from torch.profiler import ProfilerActivity, profile

        from tbprof.hook.audit.source_text import trace_file_name
        from tbprof.hook.options import RecordOptions
        from tbprof.hook.window.window import ProfiledWindow

        here = Path.cwd()
        for folder in ("early", "late"):
            (here / folder / f"{folder}_package").mkdir(parents=True)
            (here / folder / f"{folder}_package" / "reads.py").write_text(
                "def read_it(tensor):\\n    return tensor.item()\\n"
            )
        sys.path.insert(0, str(here / "early"))
        from early_package.reads import read_it as early
        window = ProfiledWindow(
            tbprof.Schedule(warmup=0, active=1), RecordOptions(with_stack=True), here / "spool", "worker",
            lambda: None
        )
        window.start()
        early(torch.ones(()))
        window.advance()
        sys.path.insert(0, str(here / "late"))
        from late_package.reads import read_it as late
        with profile(activities=[ProfilerActivity.CPU], with_stack=True) as profiler:
            early(torch.ones(()))
            late(torch.ones(()))
        profiler.export_chrome_trace("trace.json")
        names = {event["name"] for event in json.loads(Path("trace.json").read_text())["traceEvents"]}
        for read_it in (early, late):
            assert f"{trace_file_name(read_it.__code__.co_filename)}(1): read_it" in names
        """
    )
    assert ended.returncode == 0, ended.stderr
