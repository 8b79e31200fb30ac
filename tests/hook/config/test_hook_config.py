"""Arguments are checked once, in the constructor; a wrong one is the only thing that raises."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
import torch

import tbprof
from tbprof.errors import UsageError
from tbprof.hook.hook_config import checked_config
from tbprof.hook.options import HookOptions, RecordOptions


def test_paths_are_those_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    plan = checked_config("logs", HookOptions(spool="spool"))
    assert plan.logdir == tmp_path / "logs"
    assert plan.spool == tmp_path / "spool"


def test_without_arguments_the_defaults_hold(tmp_path: Path) -> None:
    plan = checked_config(tmp_path, HookOptions())
    assert plan.schedule == tbprof.Schedule()
    assert plan.spool is None


def test_the_hook_takes_every_option_with_its_own_default() -> None:
    arguments = inspect.signature(tbprof.TrainerHook).parameters
    assert next(iter(arguments)) == "logdir"
    taken = {name: each.default for name, each in arguments.items() if name != "logdir"}
    assert taken == {option.name: option.default for option in dataclasses.fields(HookOptions)}
    assert {arguments[name].kind for name in taken} == {inspect.Parameter.KEYWORD_ONLY}


def test_the_docstring_of_the_hook_explains_every_option() -> None:
    explained = (inspect.getdoc(tbprof.TrainerHook) or "").partition("Args:")[2].partition("Raises:")[0]
    heads = re.findall(r"^    ((?:\w+, )*\w+): ", explained, re.MULTILINE)
    names = {name for head in heads for name in head.split(", ")}
    assert names == set(inspect.signature(tbprof.TrainerHook).parameters)


def test_no_schedule_is_the_default_one(tmp_path: Path) -> None:
    assert checked_config(tmp_path, HookOptions(schedule=None)).schedule == tbprof.Schedule()


def test_each_option_reaches_the_plan(tmp_path: Path) -> None:
    changed = HookOptions(
        schedule=tbprof.Schedule(active=2),
        worker="w",
        record_lines=False,
        with_stack=True,
        max_stall_ms=10,
        keep_windows=3,
    )
    plan = checked_config(tmp_path, changed)
    for option in dataclasses.fields(HookOptions):
        assert getattr(plan, option.name) == getattr(changed, option.name), option.name
    assert plan.options == RecordOptions(with_stack=True)
    assert plan.max_stall_ns == 10_000_000
    assert plan.keep_arguments == ("--keep-windows", "3", "--keep-bytes", "5000000000")


@pytest.mark.parametrize("logdir", ["", b"logs", None, 3])
def test_a_logdir_that_is_no_folder_is_refused(logdir: Any) -> None:
    with pytest.raises(UsageError, match=re.escape(f"logdir is {logdir!r}; give the path of a folder")):
        tbprof.TrainerHook(logdir)


def test_a_remote_logdir_has_a_folder_of_this_machine_in_which_windows_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = checked_config("memory://bucket/logs/", HookOptions(spool=tmp_path))
    assert plan.logdir.is_relative_to(tmp_path)
    assert (plan.place, plan.keep_arguments[-2:]) == (
        "memory://bucket/logs",
        ("--to", "memory://bucket/logs"),
    )
    assert not plan.logdir.exists()
    monkeypatch.setattr("tbprof.remote.address.missing_package", lambda _: "'tbprof[gs]'")
    with pytest.raises(UsageError, match=r"pip install 'tbprof\[gs\]'"):
        tbprof.TrainerHook("gs://bucket/logs")
    with pytest.raises(UsageError, match="give a folder of this machine"):
        tbprof.TrainerHook(tmp_path, spool="gs://bucket/spool")


def test_torch_s_own_schedule_is_refused(tmp_path: Path) -> None:
    steps = torch.profiler.schedule(wait=1, warmup=1, active=1)
    with pytest.raises(UsageError, match=r"give a tbprof\.Schedule"):
        tbprof.TrainerHook(tmp_path, schedule=steps)


def test_a_spool_beneath_the_logdir_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lies beneath the log directory"):
        tbprof.TrainerHook(tmp_path, spool=tmp_path / "spool")


def test_the_constructor_touches_nothing(tmp_path: Path, spool: Path) -> None:
    tbprof.TrainerHook(tmp_path / "logs")
    assert not spool.exists()
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize("stall", [0, -1, True, "long", float("nan")])
def test_a_stall_that_means_nothing_is_refused(tmp_path: Path, stall: object) -> None:
    with pytest.raises(UsageError, match=r"max_stall_ms is .*; give milliseconds"):
        tbprof.TrainerHook(tmp_path, max_stall_ms=stall)  # type: ignore[arg-type]


@pytest.mark.parametrize("memory", [1, "yes", None, tbprof.Schedule])
def test_memory_that_is_neither_a_choice_nor_a_schedule_is_refused(tmp_path: Path, memory: object) -> None:
    with pytest.raises(UsageError, match=r"give True, False or a tbprof\.Schedule"):
        tbprof.TrainerHook(tmp_path, memory=memory)  # type: ignore[arg-type]


def test_slow_steps_begin_no_memory_step(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="slow_steps begin windows"):
        tbprof.TrainerHook(tmp_path, memory=tbprof.Schedule(slow_steps=tbprof.SlowSteps()))


def test_what_is_due_first_is_waited_for(tmp_path: Path) -> None:
    """A window's warm-up, or a step of memory before it."""
    early = tbprof.Schedule.at(1, warmup=0, active=1)
    assert checked_config(tmp_path, HookOptions(memory=early)).first_start == 1
    assert checked_config(tmp_path, HookOptions(memory=True)).first_start == tbprof.Schedule().first_start
