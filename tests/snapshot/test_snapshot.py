"""Snapshots in the form that torch documents, hostile pickles, and damaged files."""

from __future__ import annotations

import json
import os
import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from tbprof.cli.main import main
from tbprof.errors import SnapshotError
from tbprof.plain_pickle import read_plain_pickle
from tbprof.snapshot import Held, devices_of, read_snapshot

TORCH = {"filename": "/venv/site-packages/torch/nn/modules/linear.py", "line": 125, "name": "forward"}
CPP = {"filename": "??", "line": 0, "name": "c10::alloc"}
LINEAR = {"filename": "train.py", "line": 12, "name": "forward"}
LOSSES = {"filename": "train.py", "line": 31, "name": "step"}


def block(address: int, size: int, state: str, *frames: dict[str, Any]) -> dict[str, Any]:
    return {
        "address": address,
        "size": size,
        "requested_size": size - 8,
        "state": state,
        "frames": list(frames),
    }


def snapshot() -> dict[str, Any]:
    """Two segments of one device, with its history, as `torch.cuda.memory._snapshot` gives them."""
    blocks = [
        [block(2**46, 1024, "active_allocated", CPP, TORCH, LINEAR), block(2**46 + 1024, 1024, "inactive")],
        [
            block(2**47, 512, "active_allocated", LOSSES),
            block(2**47 + 512, 2048, "inactive"),
            block(2**47 + 2560, 512, "active_allocated", LOSSES),
            block(2**47 + 3072, 256, "active_pending_free"),
        ],
    ]
    segments = [
        {
            "device": 0,
            "address": inner[0]["address"],
            "total_size": sum(one["size"] for one in inner),
            "stream": 0,
            "segment_type": "small",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": inner,
        }
        for inner in blocks
    ]
    history = [
        {"action": action, "addr": -1, "size": 512, "stream": 0, "time_us": at, "frames": [LOSSES]}
        for at, action in enumerate(("segment_alloc", "alloc", "alloc", "oom"))
    ]
    return {
        "segments": segments,
        "device_traces": [history],
        "allocator_settings": {"roundup": 1.5, "x": None},
    }


def written(tmp_path: Path, value: object, protocol: int = 4) -> Path:
    path = tmp_path / "snapshot.pickle"
    path.write_bytes(pickle.dumps(value, protocol))
    return path


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_values_are_those_that_were_written(protocol: int) -> None:
    values = [
        snapshot(),
        -1,
        255,
        70_000,
        2**31,
        -(2**62),
        0.5,
        True,
        None,
        "\u4e2d\ud800",
        (),
        (1,),
        "x" * 300,
    ]
    assert read_plain_pickle(pickle.dumps(values, protocol)) == values
    assert isinstance(read_plain_pickle(b"\x80\x04" + b"]" * 50_000 + b"a" * 49_999 + b"."), list)


def test_a_device_says_what_is_free_and_which_lines_hold_the_rest(tmp_path: Path) -> None:
    (device,) = read_snapshot(written(tmp_path, snapshot())).devices
    assert (device.reserved_bytes, device.allocated_bytes, device.awaited_bytes) == (5376, 2048, 256)
    assert (device.free_bytes, device.largest_free_bytes, device.segments) == (3072, 2048, 2)
    assert device.held == (Held("train.py(12): forward", 1024, 1), Held("train.py(31): step", 1024, 2))
    assert device.events == {"segment_alloc": 1, "alloc": 2, "oom": 1}


def test_the_report_of_a_snapshot_is_text_or_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, snapshot())
    assert main(["report", str(path)]) == 0
    text = capsys.readouterr().out.replace("\u202f", " ")
    assert "GPU 0: 2.0 kB allocated of 5.4 kB reserved in 2 segments." in text
    assert "Free: 3.1 kB, the largest block 2.0 kB (67 %)." in text
    assert "train.py(31): step" in text
    assert main(["report", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["snapshot"]["devices"][0]["events"]["oom"] == 1
    assert main(["report", str(path), "--summary"]) == 2


class Hostile:
    """What a pickle runs where it is loaded."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.mark),)


HOSTILE_CODES = "c\x93R\x81\x92bioPQ\x82\x83\x84\x8f\x90\x91BCTUVSFILd1\x8b\x8e\x96\x97\x98g2"
"""GLOBAL, STACK_GLOBAL, REDUCE, NEWOBJ, NEWOBJ_EX, BUILD, INST, OBJ, PERSID, BINPERSID, EXT1 to EXT4,
and all others that a snapshot has no need of."""


def test_a_hostile_pickle_does_nothing_and_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mark = tmp_path / "ran"
    path = written(tmp_path, {"segments": [Hostile(mark)]})
    with pytest.raises(SnapshotError, match="nothing of it was run"):
        read_snapshot(path)
    assert main(["report", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not mark.exists()
    for protocol in (2, 3, 4, 5):
        with pytest.raises(SnapshotError):
            read_plain_pickle(pickle.dumps(Hostile(mark), protocol))
    assert not mark.exists()


@pytest.mark.parametrize("code", HOSTILE_CODES)
def test_opcodes_beyond_plain_values_are_refused(code: str) -> None:
    with pytest.raises(SnapshotError, match="nothing of it was run"):
        read_plain_pickle(b"\x80\x04" + code.encode("latin-1") + b"os\nmkdir\n.")


@pytest.mark.parametrize("value", [[], {}, {"segments": 1}, {"segments": [1, {"blocks": [2, {}]}]}, "text"])
def test_what_is_no_snapshot_is_said_or_empty(tmp_path: Path, value: object) -> None:
    path = written(tmp_path, value)
    if isinstance(value, dict) and isinstance(value.get("segments"), list):
        assert read_snapshot(path).devices[0].allocated_bytes == 0
    else:
        with pytest.raises(SnapshotError, match="has no `segments`"):
            read_snapshot(path)


def test_what_is_held_twice_is_refused_before_it_is_counted() -> None:
    blocks = [block(2**46, 1024, "inactive")]
    segment = {"device": 0, "total_size": 1024, "blocks": blocks}
    history = [{"action": "oom"}]
    for value in (
        {"segments": [segment] * 2},
        {"segments": [segment, {**segment, "device": 1}]},
        {"segments": [], "device_traces": [history, history]},
    ):
        with pytest.raises(SnapshotError, match="share their blocks or events"):
            devices_of(read_plain_pickle(pickle.dumps(value, 4)))


def test_a_stack_that_blocks_share_is_read_once_and_names_both() -> None:
    stack = [CPP, TORCH, LINEAR]
    blocks = [{"size": size, "state": "active_allocated", "frames": stack} for size in (100, 20)]
    (device,) = devices_of(read_plain_pickle(pickle.dumps({"segments": [{"blocks": blocks}]}, 4)))
    assert device.held == (Held("train.py(12): forward", 120, 2),)


def test_a_state_that_holds_others_without_end_and_an_endless_name_are_left_out() -> None:
    deep: list[Any] = []
    for _ in range(60):
        deep = [deep, deep]
    endless = LINEAR | {"name": "f" * 5_000}
    blocks = [
        {"size": 1, "state": deep},
        {"size": 2, "state": "active_allocated", "frames": [endless, LOSSES]},
    ]
    (device,) = devices_of({"segments": [{"blocks": blocks}]})
    assert device.held == (Held("train.py(31): step", 2, 1),)


def test_marks_are_counted_as_values_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tbprof.plain_pickle._MOST_VALUES", 1_000)
    assert read_plain_pickle(b"\x80\x04" + b"(" * 900 + b"N.") is None
    with pytest.raises(SnapshotError, match="more than 1,000 values"):
        read_plain_pickle(b"\x80\x04" + b"(" * 1_001 + b"N.")


@pytest.mark.slow
def test_a_tuple_nested_without_end_is_no_key() -> None:
    with pytest.raises(SnapshotError, match="damaged"):
        read_plain_pickle(b"\x80\x04}N" + b"\x85" * 3_000_000 + b"Ns.")


def mutants(count: int, seed: int) -> None:
    """Read damaged files: each gives a snapshot or an error of ours, and nothing else."""
    whole, source = pickle.dumps(snapshot(), 4), random.Random(seed)
    for _ in range(count):
        damaged = bytearray(whole)
        for _ in range(source.randint(1, 8)):
            at = source.randrange(len(damaged))
            match source.randrange(3):
                case 0:
                    damaged[at] = source.randrange(256)
                case 1:
                    del damaged[at : at + source.randint(1, 40)]
                case _:
                    damaged[at:at] = source.randbytes(source.randint(1, 12))
        try_to_read(bytes(damaged))


def try_to_read(data: bytes) -> None:
    try:
        devices_of(read_plain_pickle(data))
    except SnapshotError:
        return


def test_damaged_snapshots_give_a_snapshot_or_an_error() -> None:
    mutants(100, seed=1)


@pytest.mark.exhaustive
def test_more_damaged_snapshots_do() -> None:
    mutants(1_000, seed=2)


def test_an_allocation_that_failed_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = snapshot()
    value["device_traces"][0][-1] |= {"size": 80 * 10**9, "device_free": 10**8}
    assert main(["report", str(written(tmp_path, value))]) == 0
    first, *_, history, _, _ = capsys.readouterr().out.replace("\u202f", " ").splitlines()
    asked = "80.0 GB asked for at train.py(31): step, 100.0 MB free on the device."
    assert first == f"GPU 0: out of memory: {asked}"
    assert history.startswith(
        "History: 2 blocks allocated, 1 segment taken from the driver, 1 allocation failed"
    )


def test_torch_2_0_keeps_the_stack_of_a_block_in_its_history() -> None:
    value = snapshot()
    for one in (block for segment in value["segments"] for block in segment["blocks"]):
        one["history"] = [{"addr": one["address"], "real_size": one["size"], "frames": one.pop("frames")}]
    assert devices_of(value)[0].held == devices_of(snapshot())[0].held


@pytest.mark.parametrize("protocol", [0, 1])
def test_pickles_that_torch_never_wrote_are_told_apart_from_damaged_ones(
    tmp_path: Path, protocol: int
) -> None:
    with pytest.raises(SnapshotError, match="no pickle as torch writes them"):
        read_snapshot(written(tmp_path, snapshot(), protocol))
