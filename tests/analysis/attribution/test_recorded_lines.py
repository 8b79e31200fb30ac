"""Recorded calls and the waits of a trace, joined: which line is exact, and which are candidates."""

from __future__ import annotations

import dataclasses

import hook_scenes
import pytest
from scenes import SIDE, read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.attribution.recorded_lines import UNNAMED
from tbprof.model import WAITED, RecordedCall, Report, Source

GPU = ("cuda:0",)
UPLOAD = ("cpu", "cuda:0")
TRUTH = ("aten::is_nonzero", "aten::item", "aten::_local_scalar_dense")


def recorded(line: int, call: str = "item", devices: tuple[str, ...] = GPU, **other: object) -> RecordedCall:
    """A call at a line of `step` in train.py."""
    return hook_scenes.recorded(line, call, devices, **other)


def report(built: TraceBuilder, *calls: RecordedCall, order: tuple[int, ...] | None = None) -> Report:
    """The report of a trace whose audit step made these calls, in this order (else once each)."""
    audit = hook_scenes.the_audit(*calls)
    ordered = audit if order is None else dataclasses.replace(audit, order=order)
    return hook_scenes.report_with(hook_scenes.hook_facts(audit=ordered), built)


def two_steps(*reads_of_each: str, frames: tuple[str, ...] = ()) -> TraceBuilder:
    """Two steps of 1000 us with a read every 100; "item" and "if" are its kinds."""
    built = TraceBuilder()
    for number in range(2):
        begin = 1000 * number
        built.step(number, begin, begin + 1000)
        for index, kind in enumerate(reads_of_each):
            at = begin + 50 + 100 * index
            if frames:
                built.frame(frames[index], at - 5, at + 90)
            read_scalar(built, at, wait=20, ops=TRUTH if kind == "if" else TRUTH[1:])
    return built


def lines(found: Report) -> list[tuple[int | None, int, bool, tuple[int, ...]]]:
    """Line, count, whether it is exact and the candidates of each site, by line."""
    rows = [
        (site.source.line, site.count, site.source.exact, site.source.candidates)
        for site in found.sites
        if site.source is not None
    ]
    return sorted(rows, key=lambda row: row[0] or 0)


def test_reads_without_frames_are_told_apart_by_their_order_and_become_sites_of_their_own() -> None:
    found = report(two_steps("item", "item", "item"), recorded(10), recorded(20), recorded(30))
    assert lines(found) == [(10, 2, True, ()), (20, 2, True, ()), (30, 2, True, ())]
    assert found.sites[0].source == Source("train.py", 10, "step", exact=True, candidates=())
    assert [fact.code for fact in found.trace.health if "line" in fact.code or "stack" in fact.code] == []


def test_a_line_of_a_loop_is_one_site() -> None:
    calls = (recorded(10, count=2), recorded(20))
    found = report(two_steps("item", "item", "item"), *calls, order=(0, 0, 1))
    assert lines(found) == [(10, 4, True, ()), (20, 2, True, ())]


def test_the_op_tells_a_branch_from_a_read() -> None:
    found = report(two_steps("if", "item"), recorded(10), recorded(20, "__bool__"))
    assert lines(found) == [(10, 2, True, ()), (20, 2, True, ())]
    assert {site.source.line: site.ops[-1] for site in found.sites if site.source} == {
        10: "aten::item",
        20: "aten::is_nonzero",
    }


def test_a_step_with_another_number_of_reads_leaves_candidates() -> None:
    built = two_steps("item", "item")
    read_scalar(built, 1800, wait=20, ops=TRUTH[1:])
    found = report(built, recorded(10), recorded(20))
    # Of the first step each is known, of the second none.
    assert lines(found) == [(None, 3, False, (10, 20)), (10, 1, True, ()), (20, 1, True, ())]
    (fact,) = (fact for fact in found.trace.health if fact.code == "lines_not_exact")
    assert fact.numbers == {"episodes": 3, "of": 5}


def test_a_loop_may_run_longer_than_it_did_in_the_audit_step() -> None:
    found = report(two_steps("item", "item", "item"), recorded(10, count=2), order=(0, 0))
    assert lines(found) == [(10, 6, True, ())]


def test_a_single_read_that_stands_for_several_is_a_candidate() -> None:
    assert lines(report(two_steps("item", "item"), recorded(10))) == [(None, 4, False, (10,))]


def test_frames_say_the_function_and_the_recorded_calls_the_line_in_it() -> None:
    frames = ("train.py(5): step", "train.py(40): log", "train.py(5): step")
    calls = (recorded(10), recorded(44, function="log"), recorded(12))
    found = report(two_steps("item", "item", "item", frames=frames), *calls)
    assert lines(found) == [(10, 2, True, ()), (12, 2, True, ()), (44, 2, True, ())]


def test_a_function_in_which_nothing_was_recorded_keeps_the_line_of_its_def() -> None:
    found = report(two_steps("item", frames=("train.py(40): log",)), recorded(10))
    assert lines(found) == [(40, 2, False, ())]


def test_candidates_within_a_frame_stand_beside_the_line_of_the_def() -> None:
    frames = ("train.py(5): step",) * 3
    found = report(two_steps("item", "item", "item", frames=frames), recorded(10), recorded(12))
    assert lines(found) == [(5, 6, False, (10, 12))]


def test_candidates_of_several_functions_name_none() -> None:
    found = report(two_steps("item"), recorded(10), recorded(44, function="log"))
    assert found.sites[0].source == Source("train.py", None, "", exact=False, candidates=(10, 44))


def test_candidates_of_several_files_are_no_source() -> None:
    found = report(two_steps("item"), recorded(10), recorded(44, file="metrics.py"))
    assert found.sites[0].source is None


def test_reads_of_the_host_s_own_tensors_and_of_other_ops_are_no_candidates() -> None:
    others = (recorded(5, devices=("cpu",)), recorded(6, "nonzero"), recorded(7, "to", UPLOAD))
    found = report(two_steps("item"), *others, recorded(10), order=(0, 1, 2, 3))
    assert lines(found) == [(10, 2, True, ())]


def test_an_upload_is_joined_by_its_direction_and_its_memory() -> None:
    built = TraceBuilder()
    built.step(0, 0, 1000)
    for at, memory in ((100, "pageable"), (200, "pinned")):
        for op in ("aten::to", "aten::_to_copy", "aten::copy_"):
            built.op(op, at, at + 40)
        built.copy("HtoD", memory, at, at + 20, runs=(at + 5, at + 15))
        built.synchronize("cudaStreamSynchronize", at + 21, at + 30)
    calls = (
        recorded(10, "to", UPLOAD, pinned=True),
        recorded(20, "to", UPLOAD, pinned=False),
        recorded(30, "cpu", ("cuda:0", "cpu")),
    )
    found = report(built, *calls)
    assert {site.memory: site.source.line for site in found.sites if site.source} == {
        "pinned": 10,
        "pageable": 20,
    }


def test_several_waits_of_one_call_are_one_call() -> None:
    built = TraceBuilder()
    built.step(0, 0, 1000)
    for begin in (100, 300):
        built.op("aten::_unique2", begin, begin + 100)
        for at in (begin + 10, begin + 50):
            built.copy("DtoH", "pageable", at, at + 20, runs=(at + 5, at + 15))
    found = report(built, recorded(10, "unique"), recorded(20, "unique"))
    assert lines(found) == [(10, 2, True, ()), (20, 2, True, ())]


def test_a_function_of_the_user_s_around_an_op_does_not_hide_it() -> None:
    built = TraceBuilder()
    built.step(0, 0, 1000)
    built.op("MyFunction", 90, 200)
    read_scalar(built, 100, wait=20, ops=TRUTH[1:])
    assert lines(report(built, recorded(10))) == [(10, 1, True, ())]


def test_other_threads_are_joined_with_calls_of_other_threads() -> None:
    built = two_steps("item")
    read_scalar(built, 500, wait=20, ops=TRUTH[1:], thread=SIDE)
    found = report(built, recorded(10), recorded(70, function="check", thread=1))
    assert lines(found) == [(10, 2, True, ()), (70, 1, True, ())]


def test_a_wait_that_cuda_reported_is_joined_with_ops_of_other_libraries_only() -> None:
    built = two_steps("item")
    for begin in (700, 1700):
        read_scalar(built, begin, wait=20, ops=("torchvision::nms",))
        built.synchronize("cudaDeviceSynchronize", begin + 100, begin + 110)
    found = report(built, recorded(33, UNNAMED, ("cuda",)))
    assert lines(found) == [(33, 2, True, ())]


def in_backward(built: TraceBuilder, node: str, *, at: float) -> None:
    """A read on autograd's thread, in one of its functions."""
    ops = ("aten::item", "aten::_local_scalar_dense")
    read_scalar(
        built, at, wait=20, ops=(f"autograd::engine::evaluate_function: {node}", node, *ops), thread=SIDE
    )


def test_a_wait_of_autograd_s_thread_is_on_the_line_that_began_the_backward_pass() -> None:
    built = two_steps("item")
    for begin in (700, 1700):
        in_backward(built, "IndexBackward0", at=begin)
    found = report(built, recorded(10), recorded(44, "backward", ("cuda",)))
    assert lines(found) == [(10, 2, True, ()), (44, 2, True, ())]


def test_a_wait_in_the_backward_of_a_function_of_the_program_is_on_its_own_line() -> None:
    built = two_steps("item")
    for begin in (700, 1700):
        in_backward(built, "ReadsInBackward", at=begin)
        in_backward(built, "torch::autograd::AccumulateGrad", at=begin + 100)
    inside = recorded(33, UNNAMED, ("cuda",), function="backward", thread=1)
    found = report(built, recorded(10), inside, recorded(44, "backward", ("cuda",)))
    assert lines(found) == [(10, 2, True, ()), (33, 2, True, ()), (44, 2, True, ())]


def test_a_call_that_became_another_op_is_no_candidate() -> None:
    """`x[mask]` may read a number, but here it made a mask of indexes."""
    built = two_steps("item")
    for begin in (700, 1700):
        read_scalar(built, begin, wait=20, ops=("aten::index", "aten::nonzero"))
    found = report(built, recorded(10), recorded(20, "__getitem__"))
    assert lines(found) == [(10, 2, True, ()), (20, 2, True, ())]


def test_of_what_cuda_heard_the_direction_is_not_known() -> None:
    built = TraceBuilder()
    built.step(0, 0, 1000)
    built.op("aten::to_padded_tensor", 90, 300)
    built.copy("HtoD", "pageable", 100, 110, runs=(105, 150))
    built.synchronize("cudaStreamSynchronize", 110, 150)
    assert lines(report(built, recorded(33, "to_padded_tensor", ("cuda",)))) == [(33, 1, True, ())]


@pytest.mark.parametrize(
    ("reason", "sentence"), [("compiled", "torch.compile"), ("no_step", "the training ended"), ("x", "x")]
)
def test_why_there_are_no_lines_is_said(reason: str, sentence: str) -> None:
    from tbprof.texts.health import health_sentence

    built = two_steps("item")
    audit = dataclasses.replace(hook_scenes.the_audit(), left_out=reason)
    found = hook_scenes.report_with(hook_scenes.hook_facts(audit=audit), built)
    (fact,) = (fact for fact in found.trace.health if fact.code == "no_audit_step")
    assert sentence in health_sentence(fact)


def test_the_report_holds_what_was_recorded_once() -> None:
    found = report(two_steps("item"), recorded(10))
    assert found.recorded_calls == (recorded(10),)
    assert found.facts is not None
    assert found.facts.audit is None


@pytest.mark.parametrize(
    ("call", "runtime_call"),
    [
        ("cuda.synchronize", "cudaDeviceSynchronize"),
        ("Stream.synchronize", "cudaStreamSynchronize"),
        ("Event.synchronize", "cudaEventSynchronize"),
    ],
)
def test_a_wait_that_is_asked_for_by_name_has_its_line(call: str, runtime_call: str) -> None:
    built = TraceBuilder()
    for number in range(2):
        begin = 1000 * number
        built.step(number, begin, begin + 1000)
        built.launch(begin + 10, begin + 15, runs=(begin + 20, begin + 300))
        built.synchronize(runtime_call, begin + 100, begin + 310)
        read_scalar(built, begin + 500, wait=20, ops=TRUTH[1:])
    found = report(built, recorded(10, call, ("cuda",)), recorded(20))
    assert lines(found) == [(10, 2, True, ()), (20, 2, True, ())]


def test_a_library_s_line_brings_the_user_s_own() -> None:
    caller = Source("train.py", 30, "main", exact=True, candidates=())
    found = report(two_steps("item"), recorded(10, file="transformers/trainer.py", caller=caller))
    (site,) = found.sites
    assert (site.library, site.callers) == ("transformers", (caller,))


def test_waits_that_only_cuda_told_of_are_told_apart_by_their_order_whatever_their_op() -> None:
    """As in compiled programs, where torch's functions are not watched."""
    heard = [recorded(line, WAITED, ("cuda",)) for line in (10, 20)]
    found = report(two_steps("item", "if"), *heard)
    assert lines(found) == [(10, 2, True, ()), (20, 2, True, ())]


def test_of_a_step_with_other_waits_than_were_heard_the_lines_are_candidates() -> None:
    heard = [recorded(line, WAITED, ("cuda",)) for line in (10, 20)]
    found = report(two_steps("item", "if", "item"), *heard)
    assert {(line, exact, candidates) for line, _, exact, candidates in lines(found)} == {
        (None, False, (10, 20))
    }
