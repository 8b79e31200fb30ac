"""Calls that the hook recorded without a GPU: which of them would wait for one."""

from __future__ import annotations

import dataclasses

import pytest

from tbprof.model import PredictedLine, RecordedCall, fingerprint
from tbprof.rules.predicted_lines import predicted_lines

HERE, MOVED = ("cpu",), ("cpu", "cpu")

ITEM = RecordedCall("train.py", 12, "step", "item", 1, HERE, None, None)


def call(name: str, devices: tuple[str, ...] = HERE, **other: object) -> RecordedCall:
    return dataclasses.replace(ITEM, call=name, devices=devices, **other)


def only(*calls: RecordedCall) -> PredictedLine:
    (line,) = predicted_lines(calls)
    return line


@pytest.mark.parametrize(
    ("recorded", "rule", "kind"),
    [
        (call("item"), "SYN01", "scalar_read"),
        (call("__format__"), "SYN01", "scalar_read"),
        (call("__bool__"), "SYN02", "control_flow"),
        (call("allclose"), "SYN02", "control_flow"),
        (call("nonzero"), "SYN03", "dynamic_shape"),
        (call("where"), "SYN03", "dynamic_shape"),
        (call("__getitem__"), "SYN03", "dynamic_shape"),
        (call("__setitem__"), "SYN03", "dynamic_shape"),
        (call("repeat_interleave"), "SYN03", "dynamic_shape"),
        (call("cpu", MOVED, non_blocking=False), "SYN04", "host_read"),
        (call("tolist", MOVED), "SYN04", "host_read"),
        (call("to", MOVED, pinned=False, non_blocking=False), "CPY01", "upload"),
        (call("to", MOVED, pinned=True, non_blocking=False), "CPY02", "upload"),
        (call("tensor", MOVED, pinned=False), "CPY05", "upload"),
        (call("__getitem__", MOVED), "CPY05", "upload"),
    ],
)
def test_a_call_is_predicted_as_a_rule_would_find_it(recorded: RecordedCall, rule: str, kind: str) -> None:
    line = only(recorded)
    assert (line.rule, line.kind, line.call) == (rule, kind, recorded.call)
    assert (line.source.file, line.source.line, line.source.exact) == ("train.py", 12, True)


@pytest.mark.parametrize(
    "recorded",
    [
        call("to", MOVED, non_blocking=True),
        call("copy_", MOVED, non_blocking=False),
        call("pin_memory", MOVED, pinned=True),
        call("item", via="torch/optim/adam.py"),
        call("combined_by_nobody"),
    ],
)
def test_what_waits_for_nothing_is_no_line(recorded: RecordedCall) -> None:
    assert predicted_lines([recorded]) == ()


@pytest.mark.parametrize("folder", ["lightning/fabric", "/venv/site-packages/lightning_fabric"])
def test_a_framework_that_waits_for_copies_on_a_cpu_only_has_no_line(folder: str) -> None:
    moved = call("to", MOVED, non_blocking=False)
    of_batch = dataclasses.replace(moved, file=f"{folder}/utilities/apply_func.py", function="batch_to")
    assert predicted_lines([of_batch]) == ()
    assert predicted_lines([dataclasses.replace(of_batch, function="from_numpy")]) != ()


def test_what_torch_reads_for_the_line_is_the_line_s() -> None:
    assert only(call("__bool__", via="torch/nn/utils/clip_grad.py")).rule == "SYN02"


def test_calls_of_one_function_at_one_line_are_added_up() -> None:
    threads = (call("item", count=3), call("item", count=2, thread=1))
    assert only(*threads).count == 5


def test_a_read_is_named_as_in_a_trace_of_a_gpu() -> None:
    ops = ("aten::_local_scalar_dense", "aten::item")
    assert only(ITEM).fingerprint == fingerprint("SYN01", "train.py", "step", ops)


def test_two_reads_of_a_function_have_two_names_wherever_they_are() -> None:
    def names(*lines: int) -> list[str]:
        return [line.fingerprint for line in predicted_lines([call("item", line=line) for line in lines])]

    assert len(set(names(12, 14))) == 2
    assert names(12, 14) == names(312, 314)


def test_lines_come_in_the_order_of_the_files() -> None:
    calls = [call("item", line=9), call("item", line=2), call("item", file="a.py", line=30)]
    assert [(line.source.file, line.source.line) for line in predicted_lines(calls)] == [
        ("a.py", 30),
        ("train.py", 2),
        ("train.py", 9),
    ]
