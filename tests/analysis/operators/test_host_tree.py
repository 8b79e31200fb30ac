"""What lies in what on a thread."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from operator_scenes import rows_of
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.figures.host_tree import climbed
from tbprof.trace.columns.arrays import NONE

LOADER = 7


def own_us(built: TraceBuilder, name: str) -> float:
    return rows_of(built)[name].host_self_ns / 1000


def test_what_is_recorded_in_an_operator_is_not_its_own_time() -> None:
    built = TraceBuilder()
    built.op("aten::linear", 0, 100)
    built.op("aten::addmm", 10, 50)
    built.call("cudaLaunchKernel", 60, 65)
    built.annotation("mine", 70, 80)
    assert own_us(built, "aten::linear") == 100 - 40 - 5 - 10


def test_a_python_frame_in_an_operator_is_not_its_own_time_and_hides_nothing_in_it() -> None:
    built = TraceBuilder()
    built.frame("train.py(1): step", 0, 200)
    built.op("MyFunctionBackward", 10, 110)
    built.frame("train.py(9): backward", 20, 100)
    built.op("aten::mul", 30, 50)
    built.launch(35, 40, runs=(60, 67))
    rows = rows_of(built)
    assert rows["MyFunctionBackward"].host_self_ns == 20_000
    assert rows["MyFunctionBackward"].device_total_ns == 7_000
    assert rows["MyFunctionBackward"].device_self_ns == 0


def test_operators_that_begin_or_end_together_lie_in_each_other() -> None:
    for begin, end in ((0, 30), (70, 100)):
        built = TraceBuilder()
        built.op("aten::to", 0, 100)
        built.op("aten::empty", begin, end)
        assert (own_us(built, "aten::to"), own_us(built, "aten::empty")) == (70, 30)


def test_an_operator_that_is_all_another_of_its_name_holds_is_the_same_call() -> None:
    built = TraceBuilder()
    for inner in range(3):
        built.op("aten::mm", inner, 100 - inner)
    built.launch(10, 12, runs=(20, 28))
    row = rows_of(built)["aten::mm"]
    assert (row.calls, row.host_total_ns, row.device_self_ns, row.device_total_ns) == (
        1,
        100_000,
        8_000,
        8_000,
    )


def test_two_operators_of_a_name_in_a_third_are_calls_of_their_own_whose_work_counts_once() -> None:
    built = TraceBuilder()
    built.op("aten::where", 0, 100)
    built.op("aten::where", 10, 40)
    built.op("aten::nonzero", 50, 90)
    built.launch(20, 22, runs=(200, 208))
    row = rows_of(built)["aten::where"]
    assert (row.calls, row.host_total_ns, row.device_total_ns) == (2, 130_000, 8_000)


def test_a_range_that_outlasts_the_operator_in_which_it_began_holds_nothing() -> None:
    built = TraceBuilder()
    built.op("c10d::allreduce_", 0, 50)
    built.annotation("nccl:all_reduce", 10, 300)
    built.op("aten::copy_", 20, 30)
    built.launch(22, 24, runs=(60, 65))
    rows = rows_of(built)
    assert rows["c10d::allreduce_"].host_self_ns == 40_000
    assert rows["c10d::allreduce_"].device_total_ns == 5_000


def test_threads_do_not_lie_in_each_other() -> None:
    built = TraceBuilder()
    built.op("aten::linear", 0, 100, thread=MAIN)
    built.op("aten::stack", 10, 90, thread=LOADER)
    assert own_us(built, "aten::linear") == 100


def test_ranges_that_files_of_2021_have_among_the_operators_are_none() -> None:
    built = TraceBuilder(era="2021")
    built.op("Optimizer.step#SGD.step", 0, 100)
    built.op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 100, 150)
    built.op("aten::add_", 10, 20)
    assert set(rows_of(built)) == {"aten::add_"}


def test_a_frame_that_outlasts_the_operator_in_which_it_began_hides_nothing_in_it() -> None:
    built = TraceBuilder()
    built.frame("train.py(1): step", 0, 900)
    built.op("Torch-Compiled Region: 0/0", 10, 500)
    built.frame("<built-in function next>", 100, 700)
    built.frame("graphs.py(139): replay", 200, 300)
    built.launch(210, 215, runs=(300, 390))
    assert rows_of(built)["Torch-Compiled Region: 0/0"].device_self_ns == 90_000


def test_frames_behind_one_that_outlasts_an_operator_are_not_in_it() -> None:
    """As key_averages() has ranges that one function enters and another one leaves."""
    built = TraceBuilder()
    built.op("AOTDispatcher Runtime Wrapper Prologue", 10, 50)
    built.frame("wrappers.py(990): enter", 12, 15)
    built.frame("wrappers.py(3): run", 20, 100)
    built.frame("wrappers.py(460): __call__", 25, 30)
    assert own_us(built, "AOTDispatcher Runtime Wrapper Prologue") == 37


def test_an_operator_of_no_length_holds_no_frame() -> None:
    built = TraceBuilder()
    built.frame("train.py(1): step", 0, 200)
    built.op("aten::detach", 50, 50)
    assert own_us(built, "aten::detach") == 0


@given(st.lists(st.tuples(st.integers(-1, 30), st.booleans()), max_size=30), st.integers(1, 10))
def test_a_way_up_ends_at_the_first_that_is_wanted(nodes: list[tuple[int, bool]], piece: int) -> None:
    """Whether it leads backwards, as in a tree, or from a call of autograd's to a later one."""
    order = np.random.default_rng(len(nodes)).permutation(len(nodes)).tolist()
    nearer = [order[above] if NONE < above < at else NONE for at, (above, _) in enumerate(nodes)]
    start, wanted = np.full(len(nodes), NONE), np.zeros(len(nodes), np.bool_)
    for at, (_, is_wanted) in enumerate(nodes):
        wanted[order[at]] = is_wanted
        start[order[at]] = order[at] if is_wanted else nearer[at]

    def first_wanted(at: int) -> int:
        while at != NONE and not wanted[at]:
            at = int(start[at])
        return at

    with patch("tbprof.analysis.figures.host_tree._AT_ONCE", piece):
        found = climbed(start, wanted)
    assert found.tolist() == [first_wanted(at) for at in range(len(nodes))]
