"""Whatever happens in a training, it ends as it would without the hook."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from remains import look_at
from scenario import PRELUDE, Scenario
from scenarios_of_endings import ENDINGS
from scenarios_of_neighbors import NEIGHBORS
from scenarios_of_surroundings import SURROUNDINGS
from script_runner import Ended, ScriptRunner, lanes, side_by_side, wait_for_children

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and looks into /proc")

SCENARIOS = (*ENDINGS, *NEIGHBORS, *SURROUNDINGS)


Checks = dict[str, "Future[None]"]


@pytest.fixture(scope="module")
def checks(
    request: pytest.FixtureRequest, processes: ScriptRunner, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Checks]:
    """The scenarios that are asked for, as many at a time as there are processors."""
    folder = tmp_path_factory.mktemp("scenarios")
    with lanes() as pool:
        yield {
            scenario.name: pool.submit(check, processes, folder / str(number), scenario)
            for number, scenario in enumerate(asked_for(request.session))
        }
        pool.shutdown(cancel_futures=True)


def asked_for(session: pytest.Session) -> list[Scenario]:
    items = [item for item in session.items if "checks" in getattr(item, "fixturenames", ())]
    return [item.callspec.params["scenario"] for item in items]


def run(processes: ScriptRunner, folder: Path, scenario: Scenario, *, watched: bool) -> Ended:
    """Run a scenario in an empty folder."""
    folder.mkdir(parents=True)
    script = folder / "train.py"
    script.write_text(f"WATCHED = {watched}\n{PRELUDE}\n{scenario.script}\n", encoding="utf-8")
    (folder / "data").mkdir()
    environment = {"TBPROF_SPOOL": str(folder / "data" / "spool")}
    ended = processes.run([script, folder / "data"], folder, environment)
    wait_for_children(folder)
    return ended


def check(processes: ScriptRunner, folder: Path, scenario: Scenario) -> None:
    bare = run_bare(processes, folder / "bare", scenario)
    check_watched(processes, folder / "watched", scenario, bare)


def run_bare(processes: ScriptRunner, folder: Path, scenario: Scenario) -> Ended:
    bare = run(processes, folder, scenario, watched=False)
    assert bare.exit_code == scenario.exit_code, bare.stderr
    return bare


def check_watched(processes: ScriptRunner, folder: Path, scenario: Scenario, bare: Ended) -> None:
    watched = run(processes, folder, scenario, watched=True)
    assert (watched.exit_code, watched.stdout) == (bare.exit_code, bare.stdout), watched.stderr
    seen = look_at(folder / "data")
    assert seen.corrupt == []
    if scenario.windows is not None:
        assert len(seen.published) == scenario.windows, watched.stderr
    assert re.search(scenario.says, "\n".join(watched.said)), watched.stderr
    assert ("Profiling ends here" in watched.stderr) == scenario.has_fault, watched.stderr


@pytest.mark.parametrize("scenario", SCENARIOS[::2], ids=lambda scenario: scenario.name)
def test_a_training_ends_as_without_the_hook(checks: Checks, scenario: Scenario) -> None:
    checks[scenario.name].result()


@pytest.mark.exhaustive
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_twenty_times_a_training_ends_as_without_the_hook(
    processes: ScriptRunner, tmp_path: Path, scenario: Scenario
) -> None:
    bare = run_bare(processes, tmp_path / "bare", scenario)
    folders = [tmp_path / str(repeat) for repeat in range(20)]
    side_by_side(lambda folder: check_watched(processes, folder, scenario, bare), folders)
