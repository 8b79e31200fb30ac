"""Whose code a wait is in, and which line of one's own called it."""

from __future__ import annotations

import pytest
from trace_builder import TraceBuilder

from tbprof.analysis.attribution.op_chains import library_of
from tbprof.report import report_of


@pytest.mark.parametrize(
    ("file", "library"),
    [
        ("train.py", None),
        ("/home/ana/project/train.py", None),
        ("transformers/trainer.py", "transformers"),
        ("transformers.py", None),
        ("/opt/venv/lib/python3.11/site-packages/timm/models/vit.py", "timm"),
        (r"C:\venv\Lib\site-packages\lightning\pytorch\loops.py", "lightning"),
        ("/usr/lib/python3.11/threading.py", "python"),
        ("<ipython-input-3-abc>", None),
    ],
)
def test_a_file_tells_whose_code_it_is(file: str, library: str | None) -> None:
    assert library_of(file) == library


def test_a_wait_in_a_library_names_the_call_of_ones_own() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.frame("main.py(1): <module>", 0, 1000)
    built.frame("train.py(10): step", 10, 900)
    built.frame("transformers/trainer.py(100): train", 20, 800)
    built.frame("transformers/trainer.py(200): log", 30, 700)
    built.synchronize("cudaDeviceSynchronize", 100, 300)
    built.launch(400, 410, runs=(420, 430))
    site = report_of(built.trace()).sites[0]
    assert site.library == "transformers"
    assert [(caller.file, caller.line) for caller in site.callers] == [
        ("transformers/trainer.py", 100),
        ("train.py", 10),
    ]


def test_a_wait_in_ones_own_code_names_the_frames_around_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.frame("main.py(1): <module>", 0, 1000)
    built.frame("train.py(10): step", 10, 900)
    built.synchronize("cudaDeviceSynchronize", 100, 300)
    built.launch(400, 410, runs=(420, 430))
    site = report_of(built.trace()).sites[0]
    assert site.library is None
    assert [caller.function for caller in site.callers] == ["<module>"]
