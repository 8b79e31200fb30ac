"""A wait is not a cost: what fewer waits can win, on trainings where that is known.

How the floor is found is shown where it is computed, with the other figures of a refill.
"""

from __future__ import annotations

import numpy as np
from scenes import SIDE, gpu_bound, host_bound, nearly_gpu_bound, read_scalar, upload
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS, saving_of
from tbprof.model import Savings


def total(built: TraceBuilder) -> Savings:
    savings = built.report().savings
    assert savings is not None
    if savings.estimate_ns is None:
        assert savings.floor_ns <= savings.ceiling_ns
    else:
        assert savings.floor_ns <= savings.estimate_ns <= savings.ceiling_ns
    return savings


def bracket(built: TraceBuilder) -> tuple[int, int]:
    savings = total(built)
    return savings.floor_ns, savings.ceiling_ns


def test_a_busy_device_leaves_nothing_to_win_however_many_waits_there_are() -> None:
    report = gpu_bound(steps=4).report()
    assert report.sync_points.wait_ns == 4 * 456_000
    assert total(gpu_bound(steps=4)).ceiling_ns == 4 * 1_000
    assert {f.severity for f in report.findings if f.rule.startswith("SYN")} == {"info"}


def test_with_much_empty_idle_the_calls_are_the_ceiling_and_the_drain_the_floor() -> None:
    assert bracket(host_bound(steps=4)) == (4 * 160_000, 4 * (328_000 + LINE_NS))


def test_with_long_waits_what_a_host_could_fill_is_the_ceiling() -> None:
    savings = total(nearly_gpu_bound(steps=4))
    # Empty for 38 a step, and the copy takes 2 in which nothing computes.
    assert savings.ceiling_ns == 4 * 40_000
    assert savings.floor_ns <= 4 * 5_000


def two_stretches(*, second_is_dry: bool) -> TraceBuilder:
    """Two waits of 100; behind the first the device never runs dry, behind the second for 290.

    Where the second is dry the device has ended all it was given when that wait returns.
    """
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(6, 200))
    built.launch(2, 3, runs=(200, 400))
    built.synchronize("cudaStreamSynchronize", 100, 200)
    if not second_is_dry:
        built.launch(210, 211, runs=(400, 480), stream=20)
    built.synchronize("cudaDeviceSynchronize", 300, 400)
    built.launch(690, 691, runs=(700, 1000))
    return built


def test_a_host_gains_nothing_beyond_a_wait_that_stays_and_lets_the_device_run_dry() -> None:
    """What is idle behind the second wait is no matter of the first."""
    facts = two_stretches(second_is_dry=True).facts()
    first, second = (saving_of(facts, np.array([at]), "drop").ceiling_ns for at in (0, 1))
    # Idle before the first launch; what is idle behind the second wait is beyond its reach.
    assert (first, second) == (1_000, 100_000 + LINE_NS)
    assert saving_of(facts, np.array([0, 1]), "drop").ceiling_ns == 200_000 + 2 * LINE_NS


def test_behind_a_wait_that_leaves_the_device_working_a_gain_may_still_help() -> None:
    facts = two_stretches(second_is_dry=False).facts()
    assert saving_of(facts, np.array([0]), "drop").ceiling_ns == 100_000 + LINE_NS


def test_a_wait_of_a_side_thread_wins_nothing() -> None:
    built = host_bound(steps=4)
    read_scalar(built, 2100, wait=300, thread=SIDE)
    assert built.report().sync_points.count == 5
    assert bracket(built) == bracket(host_bound(steps=4))


def test_a_wait_outside_the_steps_wins_nothing() -> None:
    built = host_bound(steps=4)
    read_scalar(built, 5000, wait=300)
    assert built.report().sync_points.count == 5
    assert bracket(built) == bracket(host_bound(steps=4))


def test_a_copy_that_did_not_block_wins_nothing() -> None:
    built = host_bound(steps=4)
    built.copy("HtoD", "pinned", 450, 550, runs=(700, 710))
    assert total(built).ceiling_ns == total(host_bound(steps=4)).ceiling_ns


def test_waits_of_the_autograd_thread_count_for_the_training() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("autograd::engine::evaluate_function: IndexBackward0", 90, 300, thread=SIDE)
    built.launch(0, 5, runs=(10, 120))
    read_scalar(built, 100, wait=100, thread=SIDE)
    assert total(built).ceiling_ns == 104_000 + LINE_NS


def test_no_site_can_win_more_than_all_of_them() -> None:
    built = host_bound(steps=4)
    read_scalar(built, 720, wait=200, ops=("aten::is_nonzero",))
    report = built.report()
    ceilings = [finding.saving.ceiling_ns for finding in report.findings if finding.saving and finding.sites]
    # Those are reads that can come later; of all together it is not known that none goes.
    assert sorted(ceilings) == [204_000 + LINE_NS, 4 * 322_000]
    assert total(built).ceiling_ns == 4 * (328_000 + LINE_NS) + 204_000 + LINE_NS


def test_without_steps_the_window_is_the_step() -> None:
    built = TraceBuilder()
    built.launch(10, 15, runs=(20, 420))
    read_scalar(built, 110, wait=320)
    built.launch(600, 605, runs=(610, 700))
    savings = total(built)
    # The device is empty from 420 to 428 and from 430 to 605; from 428 to 430 it copies.
    assert savings.ceiling_ns == 185_000


def test_the_making_of_a_list_goes_with_its_upload() -> None:
    """`torch.tensor([...]).to(device)`: between the empty tensor and its lift there is no row for 300."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::empty", 100, 105)
    built.op("aten::to", 405, 406)
    built.op("aten::lift_fresh", 407, 408)
    upload(built, 410, wait=50, size_bytes=4096)
    built.launch(600, 605, runs=(610, 1000))
    facts = built.facts()
    without_line = saving_of(facts, np.array([0]), "drop").ceiling_ns - LINE_NS
    assert without_line == (464 - 100) * 1_000
    assert saving_of(facts, np.array([0]), "defer").ceiling_ns == 52_000


def test_a_line_that_leaves_the_step_wins_what_its_making_took() -> None:
    """Of a wait alone, next to nothing is won where the host is the limit."""
    built = TraceBuilder()
    for number in range(4):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.op("aten::empty", start + 100, start + 105)
        upload(built, start + 410, wait=5, size_bytes=4096)
        built.launch(start + 600, start + 605, runs=(start + 610, start + 700))
    facts = built.facts()
    chosen = np.flatnonzero(facts.can_be_won)
    hoisted, dropped = (saving_of(facts, chosen, removal).estimate_ns or 0 for removal in ("hoist", "drop"))
    assert dropped <= 4 * 7_000
    assert 3 * 300_000 < hoisted <= 4 * (319_000 + LINE_NS)
    assert saving_of(facts, chosen, "drop", chosen).estimate_ns == hoisted
