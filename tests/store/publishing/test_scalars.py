"""Figures of a window as TensorBoard's scalars, read back by TensorBoard itself."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from communication_scenes import exchanging
from scenes import host_bound
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tbprof.model import HookFacts, Report
from tbprof.store.publishing import SUB_RUN, publish_window, scalars_of, write_scalars

FACTS = HookFacts(
    schema=1,
    tbprof_version="0",
    torch_version="2.9.0",
    cuda_version="12.8",
    driver_version=None,
    device_names=("GPU",),
    worker="w",
    rank=None,
    world_size=None,
    window=0,
    first_step=120,
    recorded_steps=4,
    options={},
    unprofiled_step_ns=900_000,
    profiled_step_ns=None,
)


def report(**facts: object) -> Report:
    return dataclasses.replace(host_bound().report(), facts=dataclasses.replace(FACTS, **facts))


def read_back(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Step and value of each scalar."""
    events = EventAccumulator(str(folder))
    events.Reload()
    tags = events.Tags()["scalars"]
    return {tag: [(event.step, event.value) for event in events.Scalars(tag)] for tag in tags}


def test_the_figures_of_a_step_are_read_back_at_the_trainer_s_step(tmp_path: Path) -> None:
    write_scalars(report(), tmp_path)
    assert read_back(tmp_path / SUB_RUN) == {
        "step_time_ms": [(120, pytest.approx(0.9))],
        "profiled_step_time_ms": [(120, pytest.approx(1.0))],
        "sync_points_per_step": [(120, 1.0)],
        "wait_ms_per_step": [(120, pytest.approx(0.322))],
        "h2d_bytes_per_step": [(120, 0.0)],
        "gpu_busy_share": [(120, pytest.approx(0.492))],
        "exposed_communication_share": [(120, 0.0)],
        "ceiling_ms_per_step": [(120, pytest.approx(0.348))],
    }


def test_waiting_for_other_ranks_is_not_busy() -> None:
    built = exchanging(2_000).report()
    assert built.communication is not None
    scalars = scalars_of(dataclasses.replace(built, facts=FACTS), FACTS)
    assert scalars["exposed_communication_share"] == pytest.approx(0.2)
    # Of 10 ms: 4,995 us of computing.
    assert scalars["gpu_busy_share"] == pytest.approx(0.4995, abs=1e-3)


def test_a_later_window_goes_on_in_the_same_sub_run(tmp_path: Path) -> None:
    for step in (120, 1120):
        write_scalars(report(first_step=step), tmp_path)
    assert [step for step, _ in read_back(tmp_path / SUB_RUN)["step_time_ms"]] == [120, 1120]


def test_half_an_event_file_is_never_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_scalars(report(), tmp_path)
    assert list((tmp_path / SUB_RUN).iterdir()) == []


def test_what_was_not_measured_is_left_out(tmp_path: Path) -> None:
    write_scalars(dataclasses.replace(report(unprofiled_step_ns=None), idle=None, savings=None), tmp_path)
    assert list(read_back(tmp_path / SUB_RUN)) == ["profiled_step_time_ms"]


@pytest.mark.parametrize("rank", [0, 1])
def test_the_first_rank_speaks_for_all(tmp_path: Path, rank: int) -> None:
    write_scalars(report(rank=rank), tmp_path)
    assert (tmp_path / SUB_RUN).exists() == (rank == 0)


def test_publishing_a_window_of_the_hook_writes_them_and_of_others_does_not(tmp_path: Path) -> None:
    for name, facts in (("hook", FACTS), ("other", None)):
        spool = tmp_path / f"spool of {name}"
        spool.mkdir()
        spooled = spool / f"{name}.1752215573993169006.pt.trace.json"
        host_bound().write(spooled)
        if facts is not None:
            text = json.dumps(dataclasses.asdict(facts))
            spooled.with_name("hook.1752215573993169006.facts.json").write_text(text)
        publish_window(spooled, tmp_path / name)
    assert read_back(tmp_path / "hook" / SUB_RUN)["sync_points_per_step"] == [(120, 1.0)]
    assert not (tmp_path / "other" / SUB_RUN).exists()


def test_scalars_that_can_t_be_written_cost_no_window(tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    spooled = tmp_path / "spool" / "hook.1752215573993169006.pt.trace.json"
    host_bound().write(spooled)
    text = json.dumps(dataclasses.asdict(FACTS))
    spooled.with_name("hook.1752215573993169006.facts.json").write_text(text)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / SUB_RUN).write_text("a file, not a folder")
    assert publish_window(spooled, tmp_path / "run").trace.exists()
