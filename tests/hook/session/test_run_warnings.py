"""What a run complained of is there to be asked for when its log is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from trainings import Step, train

import tbprof
from tbprof.hook.run_summary import MOST_RUN_WARNINGS, RUN_WARNINGS_PREFIX, RunWarnings, logger

SHORT = tbprof.Schedule(skip_first=1, warmup=0, active=1)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run"


def kept(spool: Path) -> list[str]:
    files = spool.rglob(f"{RUN_WARNINGS_PREFIX}*")
    return [said for path in files for said in json.loads(path.read_text())["said"]]


def test_a_forgotten_step_is_kept_until_a_run_goes_well(
    spool: Path, logdir: Path, training_step: Step
) -> None:
    with tbprof.TrainerHook(logdir):
        training_step()
    assert kept(spool) == [
        "No window was recorded: step() was never called; recording begins after 13 steps."
    ]
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 4)
        hook.close(wait_s=60)
    assert kept(spool) == []
    assert list(spool.iterdir()) == []


def test_the_next_run_takes_the_place_of_this_one(spool: Path, logdir: Path, training_step: Step) -> None:
    for steps in (2, 3):
        with tbprof.TrainerHook(logdir) as hook:
            train(hook, training_step, steps)
    (said,) = kept(spool)
    assert "steps taken: 3" in said


def test_each_rank_has_its_own(spool: Path, logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for rank in ("0", "1"):
        monkeypatch.setenv("RANK", rank)
        tbprof.TrainerHook(logdir).close()
    assert len(kept(spool)) == 2


def test_where_nothing_can_be_written_nothing_is_kept(spool: Path, logdir: Path) -> None:
    spool.write_text("")
    tbprof.TrainerHook(logdir).close()
    assert spool.read_text() == ""


def test_so_many_are_kept_and_information_is_none() -> None:
    run_warnings = RunWarnings()
    run_warnings.listen()
    try:
        logger.info("all is well")
        for number in range(2 * MOST_RUN_WARNINGS):
            logger.warning("fault %d", number)
    finally:
        logger.removeFilter(run_warnings)
    assert run_warnings.said == [f"fault {number}" for number in range(MOST_RUN_WARNINGS)]


def test_a_program_without_logging_prints_them_still(run_script: Callable[..., object], logdir: Path) -> None:
    ended = run_script("import sys, tbprof\nwith tbprof.TrainerHook(sys.argv[1]): pass", logdir)
    assert ended.stderr.startswith("tbprof: No window was recorded")


def test_a_program_with_logging_prints_them_in_its_own_form(
    run_script: Callable[..., object], logdir: Path
) -> None:
    configured = "import logging\nlogging.basicConfig(format='[%(name)s] %(message)s')\n"
    ended = run_script(f"{configured}import sys, tbprof\nwith tbprof.TrainerHook(sys.argv[1]): pass", logdir)
    assert ended.stderr.startswith("[tbprof] No window was recorded")
    assert ended.stderr.count("No window was recorded") == 1
