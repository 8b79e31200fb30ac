"""A small job, with and without a slow stage, and tables that can't be judged."""

from __future__ import annotations

import numpy as np
import pytest
from operation_columns import operation_columns
from operation_table import operation_table
from what_if import analyze_stragglers

from tbprof.errors import JobError


def test_a_job_without_stragglers_is_as_fast_as_it_can_be() -> None:
    analysis = analyze_stragglers(operation_table(operation_columns()))
    assert analysis.slowdown == pytest.approx(1)
    assert analysis.replayed.tolist() == pytest.approx(analysis.recorded.tolist())


def test_a_slow_last_stage_explains_the_slowdown() -> None:
    analysis = analyze_stragglers(operation_table(operation_columns(slow_stage=1)))
    assert analysis.replayed.tolist() == pytest.approx(analysis.recorded.tolist())
    assert analysis.slowdown > 1.1
    assert max(analysis.by_stage, key=lambda stage: analysis.by_stage[stage].slowdown) == 1
    assert analysis.of_last_stage.removed_share > 1, "the first stage is faster than the mean"


def test_a_table_without_a_column_says_which() -> None:
    columns = operation_columns()
    del columns["seq_id"]
    with pytest.raises(JobError, match="no column seq_id"):
        operation_table(columns)


def test_a_step_that_lacks_an_operation_is_named() -> None:
    columns = operation_columns()
    kept = ~((columns["optype"] == "gc") & (columns["stage"] == 1) & (columns["step"] == 4))
    with pytest.raises(JobError, match="gc 0 of stage 1 is there 0 times in step 4 of replica 0"):
        operation_table({name: column[kept] for name, column in columns.items()})


def test_operations_that_nobody_knows_are_named() -> None:
    columns = operation_columns()
    columns["optype"] = np.where(columns["optype"] == "gc", "expert-all-to-all", columns["optype"])
    with pytest.raises(JobError, match="expert-all-to-all"):
        analyze_stragglers(operation_table(columns))


def test_a_replay_that_is_far_off_concludes_nothing() -> None:
    columns = operation_columns()
    columns["start_ts"] = columns["start_ts"] * np.float32(2)
    with pytest.raises(JobError, match="% off"):
        analyze_stragglers(operation_table(columns))
