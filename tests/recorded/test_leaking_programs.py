"""Memory that programs keep in each step is named, and their fixed twins are not."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from leaking_programs import PROGRAMS, Program, losses_with_graphs
from trainings import published_soon

from tbprof import Schedule, TrainerHook
from tbprof.analysis.facts import FACTS_TABLES, Facts
from tbprof.analysis.figures.memory_growth import Growth, find_growth
from tbprof.rules.memory.words import MIN_GROWTH_BYTES
from tbprof.trace.reading import read_trace

IDS = [program.make.__name__ for program in PROGRAMS]
GRAPHS = {"losses_with_graphs", "summed_losses", "hidden_state", "retained_graph"}


@pytest.fixture(autouse=True)
def no_collection() -> Iterator[None]:
    """What only the collector gives back is kept as long as it does not come."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("leaks", [True, False])
def test_what_one_step_after_another_keeps(leaks: bool, tmp_path: Path) -> None:
    step, path = losses_with_graphs(leaks), tmp_path / "trace.json"
    with torch.profiler.profile(
        profile_memory=True,
        schedule=torch.profiler.schedule(wait=0, warmup=1, active=5, repeat=1),
        on_trace_ready=lambda profiler: profiler.export_chrome_trace(str(path)),
    ) as profiler:
        for number in range(6):
            step(number)
            profiler.step()
    assert [growth.operator for growth in growths(path)] == ["aten::linear"] * leaks


@pytest.mark.exhaustive
@pytest.mark.parametrize("with_stack", [True, False])
@pytest.mark.parametrize("leaks", [True, False])
@pytest.mark.parametrize("program", PROGRAMS, ids=IDS)
def test_the_hook_records_what_names_it(
    program: Program, leaks: bool, with_stack: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TBPROF_SPOOL", str(tmp_path / "spool"))
    step, schedule = program.make(leaks), Schedule(skip_first=4, warmup=1, active=5)
    with TrainerHook(tmp_path / "run", schedule=schedule, profile_memory=True, with_stack=with_stack) as hook:
        for number in range(12):
            step(number)
            hook.step()
    assert published_soon(tmp_path / "run")
    (path,) = (tmp_path / "run").glob("*.trace.json.gz")

    found = growths(path)

    assert len(found) == leaks
    for growth in found:
        assert growth.is_graph == (program.make.__name__ in GRAPHS)
        assert growth.operator == program.operator
        assert (growth.source.function if growth.source else "") == (program.function if with_stack else "")


def growths(path: Path) -> list[Growth]:
    """Those that are worth a finding."""
    found = find_growth(Facts(read_trace(path, tables=FACTS_TABLES)))
    return [growth for growth in found if growth.all_bytes_per_step >= MIN_GROWTH_BYTES]
