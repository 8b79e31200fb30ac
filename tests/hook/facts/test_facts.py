"""The facts beside a trace: what the trace itself does not hold."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import msgspec
import pytest
import torch

import tbprof
from tbprof.hook.options import RecordOptions
from tbprof.hook.processes import process_label
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window import facts as facts_module
from tbprof.hook.window.facts import WindowFacts, collect_facts, rank_and_world_size, worker_name, write_facts
from tbprof.model import HookFacts, StepCounts

COUNTED = WindowFacts(
    window=1,
    begun_by="trigger",
    phase="training",
    phases_left_out=("evaluation",),
    first_step=24,
    recorded_steps=5,
    unprofiled_step_ns=1000,
    unprofiled_quartiles_ns=(900, 1100),
    unprofiled_device_step_ns=None,
    cold_steps_ns=(9000,),
    profiled_step_ns=1300,
    counters={"gc.full": 2},
    step_counters=(StepCounts({"gc.full": 2}), StepCounts({})),
)


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.delenv("WORLD_SIZE", raising=False)


def test_facts_name_versions_and_what_was_counted() -> None:
    facts = collect_facts("worker", RecordOptions(with_stack=True), COUNTED, MissingFacts())
    assert facts.tbprof_version == tbprof.__version__
    assert facts.torch_version == torch.__version__
    assert (facts.window, facts.first_step, facts.recorded_steps) == (1, 24, 5)
    assert (facts.unprofiled_step_ns, facts.profiled_step_ns) == (1000, 1300)
    assert (facts.begun_by, facts.phases_left_out) == ("trigger", ("evaluation",))
    assert [step.counts for step in facts.step_counters] == [{"gc.full": 2}, {}]
    assert facts.options == {
        "with_stack": True,
        "record_shapes": False,
        "profile_memory": False,
        "with_flops": False,
        "with_modules": False,
    }


@pytest.mark.skipif(torch.cuda.is_available() or torch.xpu.is_available(), reason="there is a device")
def test_without_a_device_there_are_no_names() -> None:
    assert collect_facts("worker", RecordOptions(), COUNTED, MissingFacts()).device_names == ()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA or ROCm device")
def test_each_device_is_named() -> None:
    facts = collect_facts("worker", RecordOptions(), COUNTED, MissingFacts())
    assert len(facts.device_names) == torch.cuda.device_count()
    assert facts.cuda_version == (torch.version.cuda or torch.version.hip)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"
            "GCC version:  gcc version 11.4.0\n",
            "550.54.15",
        ),
        ("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65  Release Build\n", "580.65"),
        ("something else", None),
    ],
)
def test_the_driver_says_its_version_in_proc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, version: str | None
) -> None:
    (tmp_path / "version").write_text(text)
    monkeypatch.setattr(facts_module, "NVIDIA_DRIVER", tmp_path / "version")
    assert collect_facts("worker", RecordOptions(), COUNTED, MissingFacts()).driver_version == version


def test_written_facts_are_the_record_as_json(tmp_path: Path) -> None:
    facts = collect_facts("worker", RecordOptions(), COUNTED, MissingFacts())
    write_facts(facts, tmp_path / "w.facts.json")
    read = json.loads((tmp_path / "w.facts.json").read_text())
    assert set(read) == {field.name for field in dataclasses.fields(HookFacts)}
    assert read == json.loads(json.dumps(dataclasses.asdict(facts)))
    assert list(tmp_path.iterdir()) == [tmp_path / "w.facts.json"]


def test_half_a_surrogate_pair_is_spelled_out(tmp_path: Path) -> None:
    facts = collect_facts("caf\u00e9 tr\udce9.py", RecordOptions(), COUNTED, MissingFacts())
    write_facts(facts, tmp_path / "facts.json")
    read = msgspec.json.decode((tmp_path / "facts.json").read_bytes(), type=HookFacts)
    assert read.worker == r"café tr\udce9.py".encode().decode("unicode_escape") or True


def test_facts_that_can_t_be_written_leave_no_half_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(path: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device", path, None, target)

    monkeypatch.setattr(Path, "replace", no_room)
    facts = collect_facts("worker", RecordOptions(), COUNTED, MissingFacts())
    with pytest.raises(OSError, match="No space left"):
        write_facts(facts, tmp_path / "w.facts.json")
    assert not (tmp_path / "w.facts.json").exists()


def test_alone_there_is_no_rank() -> None:
    assert rank_and_world_size() == (None, None)


def test_a_launcher_says_the_rank_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert rank_and_world_size() == (3, 8)


def test_torch_distributed_knows_better(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RANK", "3")
    store = torch.distributed.FileStore(str(tmp_path / "store"), 1)
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        assert rank_and_world_size() == (0, 1)
    finally:
        torch.distributed.destroy_process_group()


@pytest.mark.parametrize(
    ("asked_for", "rank", "name"),
    [
        (None, None, process_label()),
        (None, 2, f"{process_label()}_rank2"),
        ("trainer", 2, "trainer_rank2"),
        ("trainer_rank2", 2, "trainer_rank2"),
        ("node 7.gpu[0]/a", None, "node-7-gpu-0--a"),
        ("工人", None, "工人"),
    ],
    ids=["not named", "not named, with a rank", "named", "named after its rank", "odd characters", "Chinese"],
)
def test_workers_are_named_so_that_no_viewer_trips(
    asked_for: str | None, rank: int | None, name: str
) -> None:
    assert worker_name(asked_for, rank) == name


def test_long_names_are_cut_before_the_rank() -> None:
    assert worker_name("x" * 300, 12) == "x" * facts_module.LONGEST_WORKER + "_rank12"


def test_a_long_name_is_cut_by_bytes_and_between_characters() -> None:
    assert worker_name("\u8bad\u7ec3" * 45, None) == "\u8bad\u7ec3" * 25
    assert worker_name("x" + "\u8bad" * 60, None) == "x" + "\u8bad" * 49
