"""A hook holds its folder of the spool for life, and makes it again where it vanishes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from trainings import Step, facts_in, published_soon, train

import tbprof
from tbprof.hook import spool
from tbprof.hook.orphan_recovery import is_orphaned
from tbprof.hook.processes import process_name
from tbprof.hook.spool import SpoolFolder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders have no locks there")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[SpoolFolder]:
    folder = SpoolFolder(tmp_path / "logs", tmp_path / "place")
    yield folder
    folder.leave()


def test_it_is_held_until_it_is_left(folder: SpoolFolder) -> None:
    (folder.path / "w.1.pt.trace.json").write_text("{}")
    assert not is_orphaned(folder.path)
    folder.leave()
    assert is_orphaned(folder.path)


def test_two_of_one_process_do_not_meet(folder: SpoolFolder, tmp_path: Path) -> None:
    second = SpoolFolder(tmp_path / "logs", tmp_path / "place")
    assert folder.path != second.path
    assert all(each.path.name.startswith(process_name()) for each in (folder, second))
    second.leave()
    assert folder.path.is_dir()
    folder.leave()
    assert not folder.path.parent.exists()


def test_one_that_vanished_is_made_again_and_held(
    folder: SpoolFolder, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(folder.path.parent)
    folder.ensure()
    assert folder.path.is_dir()
    assert not is_orphaned(folder.path)
    (said,) = caplog.messages
    assert "was removed and is made again" in said
    folder.ensure()
    assert len(caplog.messages) == 1
    folder.leave()


def test_one_that_somebody_put_in_its_place_is_held_as_well(folder: SpoolFolder) -> None:
    folder.path.rename(folder.path.with_name("taken"))
    folder.path.mkdir()
    folder.ensure()
    assert not is_orphaned(folder.path)
    folder.leave()


def test_its_time_stays_new(folder: SpoolFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(folder.path, (1, 1))
    folder.ensure()
    assert folder.path.stat().st_mtime == 1
    monkeypatch.setattr(spool, "TOUCH_S", -1)
    folder.ensure()
    assert folder.path.stat().st_mtime > 1
    folder.leave()


def test_a_child_holds_it_beyond_the_end_of_its_parent(folder: SpoolFolder) -> None:
    (folder.path / "w.1.pt.trace.json").write_text("{}")
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=folder.descriptors
    ) as child:
        folder.leave()
        assert not is_orphaned(folder.path)
        child.communicate(b"\n")
    assert is_orphaned(folder.path)


def test_a_training_whose_folder_vanishes_between_windows_records_the_next(
    tmp_path: Path, spool: Path, training_step: Step
) -> None:
    logdir = tmp_path / "logs"
    schedule = tbprof.Schedule(skip_first=1, wait=60, warmup=1, active=1, repeat=2)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        train(hook, training_step, 90)
        published_soon(logdir)
        for left in spool.iterdir():
            shutil.rmtree(left)
        train(hook, training_step, 60)
        hook.close(wait_s=60)
    assert [facts["window"] for facts in facts_in(logdir)] == [0, 1]


def test_two_hooks_of_one_log_directory_each_have_their_windows(tmp_path: Path, training_step: Step) -> None:
    logdir = tmp_path / "logs"
    early = tbprof.TrainerHook(
        logdir, worker="early", schedule=tbprof.Schedule(skip_first=2, warmup=1, active=2)
    )
    late = tbprof.TrainerHook(
        logdir, worker="late", schedule=tbprof.Schedule(skip_first=20, warmup=1, active=2)
    )
    for step in range(30):
        training_step()
        late.step()
        if step < 12:
            early.step()
        if step == 12:
            early.close(wait_s=60)
    late.close(wait_s=60)
    assert {facts["worker"] for facts in facts_in(logdir)} == {"early", "late"}


def can_unshare() -> str:
    """Why there can be no name space of its own; empty where there can."""
    program = shutil.which("unshare")
    if program is None:
        return "there is no unshare"
    tried = subprocess.run([program, "-Urpf", "--mount-proc", "true"], capture_output=True, text=True)
    return tried.stderr.strip() if tried.returncode else ""


CONTAINED = """
import os, sys, time
import torch, tbprof
schedule = tbprof.Schedule(skip_first=2, warmup=1, active=2)
with tbprof.TrainerHook(sys.argv[1], worker=sys.argv[2], schedule=schedule) as hook:
    for step in range(12):
        torch.rand(2, 2) @ torch.rand(2, 2)
        hook.step()
        if step == 2:
            print(os.getpid(), flush=True)
            sys.stdin.readline()
    hook.close(wait_s=60)
"""


@pytest.mark.slow
def test_containers_of_one_host_name_lose_nothing(tmp_path: Path, spool: Path) -> None:
    reason = can_unshare()
    if reason:
        pytest.skip(f"no name spaces here: {reason}")
    logdir = tmp_path / "logs"

    def start(worker: str) -> subprocess.Popen[str]:
        isolated = ["unshare", "-Urpf", "--mount-proc", sys.executable, "-c", CONTAINED]
        return subprocess.Popen(
            [*isolated, str(logdir), worker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TBPROF_SPOOL": str(spool)},
        )

    with start("first") as first:
        assert first.stdout is not None
        # It is within its window, and is process 1, as the second one will be.
        assert first.stdout.readline() == "1\n"
        with start("second") as second:
            assert second.communicate("\n", timeout=100)[0] == "1\n"
        _, said = first.communicate("\n", timeout=100)
    assert "Profiling ends here" not in said
    assert {facts["worker"] for facts in facts_in(logdir)} == {"first", "second"}
