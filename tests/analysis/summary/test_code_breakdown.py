"""Time and launches by label, module and function."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.figures.code_breakdown import code_shares, fold_alike
from tbprof.model import CodeShare

AUTOGRAD = 555


def test_backwards_kernels_belong_to_the_label_around_its_call() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.annotation("backward", 40, 90)
    built.op("autograd::engine::evaluate_function: MmBackward0", 50, 60, thread=AUTOGRAD)
    built.launch(52, 54, runs=(55, 75), thread=AUTOGRAD)
    (share,) = code_shares(built.facts())
    assert (share.name, share.device_ns, share.launches) == ("backward", 20_000, 1)


def layer(number: int, device_ns: int, launches: int = 4) -> CodeShare:
    return CodeShare("module", f"Layer_{number}", host_ns=10, device_ns=device_ns, launches=launches)


def test_layers_that_do_the_same_are_one_row_with_their_count() -> None:
    (row,) = fold_alike([layer(0, 100), layer(1, 104), layer(2, 98)])
    assert (row.name, row.count, row.device_ns, row.launches) == ("Layer", 3, 302, 12)


def test_a_layer_that_takes_longer_than_its_twins_stands_apart() -> None:
    folded = fold_alike([layer(0, 100), layer(1, 150), layer(2, 100)])
    assert [(row.name, row.count) for row in folded] == [("Layer", 2), ("Layer_1", 1)]


def test_parts_that_launch_differently_are_not_alike() -> None:
    folded = fold_alike([layer(0, 100), layer(1, 100, launches=5)])
    assert [(row.name, row.count) for row in folded] == [("Layer_0", 1), ("Layer_1", 1)]
