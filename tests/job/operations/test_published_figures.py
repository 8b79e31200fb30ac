"""Two public jobs: every figure that was published of them, from their tables alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from parquet_file import read_operation_table
from straggler_analysis import Contribution, Explained, StragglerAnalysis
from what_if import analyze_stragglers

NEAR = 1e-9

DIVIDED_BY = {"dp_rank": "by_replica", "stage": "by_stage", "optype": "by_kind"}

Figure = tuple[str, float | None, Any]


@pytest.fixture(scope="module")
def folder() -> Path:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'tbprof[parquet]'")
    traces = os.environ.get("TBPROF_TRACES")
    if traces is None:
        if os.environ.get("TBPROF_REQUIRE_TRACES") == "1":
            pytest.fail("TBPROF_REQUIRE_TRACES is set and TBPROF_TRACES is not")
        pytest.skip("TBPROF_TRACES names no folder of public traces")
    return Path(traces, "straggler_what_if")


def published(folder: Path, name: str) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return document


def figures_of_result(analysis: StragglerAnalysis, result: Mapping[str, Any]) -> Iterator[Figure]:
    yield "blocking_slowdown", analysis.slowdown, result["blocking_slowdown"]
    # The table's times have single precision, and so have the published ratios.
    recorded = analysis.recorded.astype(np.float32).mean()
    yield "launch_slowdown", float(recorded / analysis.replayed.mean()), result["launch_slowdown"]
    for at, step in enumerate(map(str, analysis.steps)):
        times = (analysis.recorded[at], analysis.replayed[at], analysis.ideal[at])
        for key, seconds in zip(("step_t_base", "step_t_nodelay", "step_t_noblk"), times, strict=True):
            yield f"{key} {step}", seconds, result[key][step]
        recorded, replayed, ideal = times
        yield f"blocking {step}", replayed / ideal, result["blocking_step_slowdown"][step]
        yield f"launch {step}", recorded / replayed, result["launch_step_slowdown"][step]
    for name, attribute in DIVIDED_BY.items():
        contributions: Mapping[Any, Contribution] = getattr(analysis, attribute)
        key = f"blocking_decompose_by_{name}"
        assert set(map(str, contributions)) == set(result[key])
        for part, one in contributions.items():
            yield f"{key} {part}", one.slowdown, result[key][str(part)]
            for at, step in enumerate(map(str, analysis.steps)):
                yield f"{key} {part} {step}", one.by_step[at], result[f"{key}_per_step"][step][str(part)]


def figures_of_ranks(one: Explained, document: Mapping[str, float], name: str) -> Iterator[Figure]:
    own = {
        "trem": one.without,
        "tadd": one.alone,
        "tori": one.recorded,
        "tideal": one.ideal,
        "rem": one.removed_share,
        "add": one.added_share,
        name: one.removed_share,
    }
    assert own.keys() == document.keys()
    for key, figure in own.items():
        yield f"{name} {key}", figure, document[key]


@pytest.mark.parametrize("job", ["ST", "SE"])
def test_every_published_figure_is_reproduced(folder: Path, job: str) -> None:
    table = read_operation_table(folder / f"trace-{job}.parquet")
    analysis = analyze_stragglers(table)
    result = published(folder, f"result-{job}")
    figures = [
        *figures_of_result(analysis, result),
        *figures_of_ranks(analysis.of_worst_ranks, published(folder, f"mw-{job}"), "Mw"),
        *figures_of_ranks(analysis.of_last_stage, published(folder, f"ms-{job}"), "Ms"),
    ]
    wrong = [(name, own, said) for name, own, said in figures if own != pytest.approx(said, rel=NEAR)]
    assert wrong == []
    assert len(analysis.steps) == len(result["step_t_base"])
    assert {key for key, said in result.items() if said is None} == {
        f"launch_decompose_by_{name}{ending}" for name in DIVIDED_BY for ending in ("", "_per_step")
    }
    sizes = (result["job_meta"]["pp_size"], result["job_meta"]["dp_size"])
    assert (table.stages, table.replicas) == sizes
