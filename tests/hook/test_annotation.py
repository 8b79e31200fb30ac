"""Labels of the user's own."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

import tbprof
from tbprof.hook import annotation

if TYPE_CHECKING:
    from conftest import RunScript


def labels(profiler: profile, folder: Path) -> list[str]:
    profiler.export_chrome_trace(str(folder / "trace.json"))
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    return [event["name"] for event in events if event.get("cat") == "user_annotation"]


def test_a_label_is_recorded_around_a_block_and_around_a_function(tmp_path: Path) -> None:
    @tbprof.annotate("function")
    def count_down(number: int) -> int:
        return count_down(number - 1) if number else 0

    with profile(activities=[ProfilerActivity.CPU]) as profiler:
        with tbprof.annotate("block"):
            torch.ones(2)
        count_down(1)
    assert sorted(labels(profiler, tmp_path)) == ["block", "function", "function"]


def test_nothing_is_made_while_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(annotation, "record_function", made.append)
    with tbprof.annotate("block"):
        pass
    assert made == []


def test_a_label_that_a_recording_began_or_ended_in_does_no_harm(tmp_path: Path) -> None:
    profiler = profile(activities=[ProfilerActivity.CPU])
    with tbprof.annotate("began before"):
        profiler.__enter__()
    with tbprof.annotate("ends later"):
        profiler.__exit__(None, None, None)
    assert "began before" not in labels(profiler, tmp_path)


def test_exceptions_pass() -> None:
    with pytest.raises(ZeroDivisionError), tbprof.annotate("block"):
        1 / 0  # noqa: B018


@pytest.mark.slow
def test_compiled_code_is_not_broken_by_it(fork_script: RunScript) -> None:
    done = fork_script("""
        import torch, tbprof

        @torch.compile(backend="eager", fullgraph=True)
        def double(x):
            with tbprof.annotate("double"):
                return x * 2

        print(double(torch.ones(2)).tolist())
        from tbprof.hook.audit.audit import has_compiled_code
        print(has_compiled_code())
    """)
    assert done.stdout.split("\n")[:2] == ["[2.0, 2.0]", "True"], done.stderr


class Nameless:
    def __str__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("name", "label"),
    [
        (3, "3"),
        (PurePosixPath("images/cat"), "images/cat"),
        (None, "None"),
        # Kineto writes a slash for each backslash.
        ("caf\udce9.png", "caf/udce9.png"),
        (Nameless(), "Nameless"),
    ],
)
def test_a_name_that_is_no_text_is_written_as_text(name: object, label: str, tmp_path: Path) -> None:
    with tbprof.annotate(name):
        pass
    with profile(activities=[ProfilerActivity.CPU]) as profiler, tbprof.annotate(name):
        torch.ones(2)
    assert labels(profiler, tmp_path) == [label]
