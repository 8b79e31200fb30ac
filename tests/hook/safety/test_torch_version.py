"""A torch that is too old is said at once, and the training goes on without us."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from trainings import Step, train

import tbprof
from tbprof.hook.safety.cuda_device import is_torch_since, old_torch_problem


@pytest.mark.parametrize(
    ("version", "is_old"),
    [("2.2.1+cu121", True), ("1.13.1", True), ("2.6.0a0+git12", False), ("2.13.0", False), ("rocm", False)],
)
def test_versions_are_compared_as_numbers(
    monkeypatch: pytest.MonkeyPatch, version: str, is_old: bool
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    assert (old_torch_problem() is not None) == is_old


@pytest.mark.parametrize(
    ("version", "is_since"),
    [
        ("2.9.1", False),
        ("2.11.0+cpu", False),
        ("2.12.0", True),
        ("2.14.1", True),
        ("3.0", True),
        ("rocm", True),
    ],
)
def test_a_release_is_looked_up_by_numbers(
    monkeypatch: pytest.MonkeyPatch, version: str, is_since: bool
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    assert is_torch_since((2, 12)) == is_since


def test_it_is_said_once_and_nothing_is_recorded(
    tmp_path: Path,
    spool: Path,
    training_step: Step,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.2.1")
    hook = tbprof.TrainerHook(tmp_path / "logs", schedule=tbprof.Schedule(skip_first=1, warmup=1, active=1))
    with hook:
        assert len(train(hook, training_step, 8)) == 8
    assert caplog.messages == [
        "Nothing is recorded: torch is 2.2.1; tbprof is tested with 2.6 and later: upgrade it."
    ]
    assert not spool.exists()
