"""The table of operations of a recording beside tbprof's own, on one that was made on a CPU."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from recorded_lines import unpack_programs
from recorded_operations import JudgedOperation, Operation, judge_operations, read_operations, rows_seen

RECORDED_ON_A_CPU = Path(__file__).parents[1] / "data" / "programs_on_a_cpu"

EXPECTED_OTHERWISE = {
    # Written into a row of one dimension, the number is a tensor of the host that is copied.
    "x[0] = number",
    # A tensor is equal to itself, whatever it holds.
    "torch.equal",
    # Torch lists its rows in pinned memory, since torch 2.9.
    "x[host mask]",
    # The device's own assertions check the classes.
    "one_hot, num_classes",
    # Torch takes these indexes from the host only.
    "tensor_split at a tensor",
    # A call that may wait is a sync point, even where it finds nothing to wait for.
    "idle stream synchronize",
}


@pytest.fixture(scope="module")
def judged() -> dict[str, JudgedOperation]:
    return {each.operation.form: each for each in judge_operations(RECORDED_ON_A_CPU)}


def test_what_is_predicted_is_what_was_expected_but_for_known_exceptions(
    judged: dict[str, JudgedOperation],
) -> None:
    wrong = {form for form, each in judged.items() if each.verdict in ("disagrees", "not in the table")}
    assert wrong == EXPECTED_OTHERWISE
    assert sum(each.verdict == "agrees" for each in judged.values()) > 90


def test_a_form_that_was_to_be_found_out_stays_open_without_a_device(
    judged: dict[str, JudgedOperation],
) -> None:
    assert judged["randperm"].verdict == "open"


def test_a_form_counts_as_waiting_if_any_witness_saw_it(tmp_path: Path) -> None:
    item, masked, clone = on_a_device(tmp_path)
    assert (item.measured, item.witnesses, item.waits_in) == (True, ("callbacks",), "cudaStreamSynchronize")
    assert (masked.measured, masked.witnesses) == (True, ())
    assert clone.measured is False


def test_a_row_of_the_table_is_seen_where_its_op_waited(tmp_path: Path) -> None:
    seen = {row.op: forms for row, forms in rows_seen(on_a_device(tmp_path)).items()}
    assert seen["aten::_local_scalar_dense"] == ("item",)
    assert seen["aten::nonzero"] == ()


def test_a_stream_that_waits_for_another_holds_up_no_host(tmp_path: Path) -> None:
    on_a_device(tmp_path)
    recorded = json.loads((tmp_path / "operations.json").read_text(encoding="utf-8"))
    recorded["forms"][-1]["cuda_sync"] = [{"cat": "cuda_sync", "name": "Stream Wait Event"}]
    (tmp_path / "operations.json").write_text(json.dumps(recorded), encoding="utf-8")
    assert read_operations(tmp_path)[-1].measured is False


@pytest.mark.parametrize(
    ("copy", "agrees"),
    [
        ("Memcpy HtoD (Pageable -> Device)", True),
        ("Memcpy HtoD (Pinned -> Device)", False),
        ("Memcpy DtoH (Device -> Pageable)", False),
    ],
)
def test_a_predicted_copy_is_held_against_the_recorded_ones(
    judged: dict[str, JudgedOperation], copy: str, agrees: bool
) -> None:
    upload = judged["copy_ from pageable"]
    recorded = dataclasses.replace(upload.operation, copies=(copy,))
    assert JudgedOperation(recorded, upload.predicted).copies_agree is agrees
    assert upload.copies_agree is None


def test_what_a_gpu_measured_is_what_the_table_says(tmp_path: Path) -> None:
    told = tuple(judge_operations(unpack_programs(tmp_path)))
    # It may wait, and here there was nothing that it could give back.
    assert {each.operation.form for each in told if each.verdict != "agrees"} == {"empty_cache"}
    assert not [each.operation.form for each in told if each.copies_agree is False]
    seen = rows_seen(tuple(each.operation for each in told))
    assert [row.op for row, forms in seen.items() if forms and row.known != "seen"] == []


def test_a_query_of_an_event_is_no_wait(tmp_path: Path) -> None:
    operations = {each.form: each for each in read_operations(unpack_programs(tmp_path))}
    assert (operations["event query"].witnesses, operations["event query"].measured) == ((), False)
    assert operations["event synchronize"].witnesses == ("callbacks", "CUPTI")


def on_a_device(folder: Path) -> tuple[Operation, ...]:
    """The recording's own rows as a device would have filled them."""
    recorded = json.loads((RECORDED_ON_A_CPU / "operations.json").read_text(encoding="utf-8"))
    recorded["machine"]["device"] = "cuda"
    rows = {row["form"]: row for row in recorded["forms"]}
    ops = ["aten::item", "aten::_local_scalar_dense"]
    calls = [
        {"call": "cudaMemcpyAsync", "host_us": 9.0, "ops": ops},
        {"call": "cudaStreamSynchronize", "host_us": 980.0, "ops": ops},
    ]
    rows["item"] |= {"sync_debug": 0, "gpu_trace": 1, "calls": calls}
    rows["x[mask]"] |= {"waits": True}
    rows["clone"] |= {"waits": False}
    recorded["forms"] = [rows["item"], rows["x[mask]"], rows["clone"]]
    (folder / "operations.json").write_text(json.dumps(recorded), encoding="utf-8")
    return read_operations(folder)
