"""The sentence that opens a screen, and the names of what is waited for."""

from __future__ import annotations

import pytest
from stored_verdicts import stored_verdict

from tbprof.errors import ReadingTookTooLong, ReportTooNew, TraceError
from tbprof.judge.words import scope_sentence, verdict_figures, verdict_sentences
from tbprof.model import Verdict
from tbprof.texts.problems import problem_of

NUMBERS: dict[str, int | float | str] = {
    "steps": 3,
    "all_steps": 3,
    "marked": 1,
    "devices": 1,
    "ranks": 2,
    "steps_us": 120_000.0,
    "idle_share": 0.25,
    "empty_share": 0.004,
    "computing_share": 0.6,
    "communication_share": 0.1,
    "copying_share": 0.05,
    "wait_us": 30_000.0,
    "points": 6,
    "floor_us": 3_000.0,
    "ceiling_us": 18_000.0,
    "gain_us": 600.0,
    "waits_found": 0,
    "cause": "data",
    "cause_us": 24_000.0,
}


def sentences(case: str, without: tuple[str, ...] = (), **numbers: float | str) -> list[str]:
    given = {name: number for name, number in {**NUMBERS, **numbers}.items() if name not in without}
    return [text.replace("\u202f", " ") for text in verdict_sentences(stored_verdict(case, given))]


def test_idle_is_said_with_its_cause_and_with_what_the_waits_have_to_do_with_it() -> None:
    idle = "The GPU is idle 25 % of a step, 20 % because it is waiting for data: the next batch is not ready."
    unmoved = "No sync point is worth removing: without them all a step would take about as long."
    hidden = " Another 10 % of a step is communication that no computing covers."
    assert sentences("input", ceiling_us=5_000.0) == [idle, f"{unmoved}{hidden}"]
    lines = "Its waits cost hardly anything; without their lines a step would be at most 6.0 ms shorter."
    assert sentences("input") == [idle, f"{lines}{hidden}"]
    numbers = {"communication_share": 0.09}
    assert sentences("input", gain_us=9_000.0, estimate_us=6_000.0, **numbers) == [
        idle,
        "Without the waits that can go a step would be about 2.0 ms shorter.",
    ]
    assert sentences("input", gain_us=9_000.0, **numbers) == [
        idle,
        "Its waits cost about 3.0 ms, and hardly any of them can simply go.",
    ]
    nothing = "Nothing makes the host wait for the GPU."
    assert sentences("input", points=0, **numbers) == [idle, nothing]
    bound = "Its waits hold at most 6.0 ms of 40.0 ms."
    assert sentences("input", without=("gain_us",), **numbers) == [idle, bound]


def test_no_sentence_denies_a_finding_about_waits() -> None:
    said = sentences("input", waits_found=1, communication_share=0)[1]
    assert said == "The host waits 10.0 ms in a step (6 sync points in all)."


def test_a_late_host_is_said_with_the_place() -> None:
    said = sentences("host_bound", place="images.py(20): preprocess", place_us=15_000.0)
    first = "The GPU is idle 25 % of a step, 20 % because"
    assert said[0] == f"{first} the host is late to launch: it does other work between launches."
    assert said[1].startswith("5.0 ms of that idle time is in images.py:20 preprocess. ")
    unknown = sentences("host_bound", place="", place_us=15_000.0)[1]
    assert unknown.startswith("5.0 ms of that idle time is outside every labeled range and function. ")


def test_idle_with_work_queued_is_said_with_what_may_hold_it() -> None:
    assert sentences("queued") == [
        "The GPU is idle 25 % of a step, 20 % although work is queued.",
        "The GPU may wait for another process, another rank, or work that was not recorded.",
    ]
    assert "rank" not in sentences("queued", ranks=1)[1]


def test_of_waits_each_figure_is_said_with_what_it_is() -> None:
    assert sentences("waits", estimate_us=15_000.0, communication_share=0) == [
        "The GPU is idle 25 % of a step; without the waits that can go a step takes about 35.0 ms "
        "instead of 40.0 ms.",
        "At least 1.0 ms, at most 6.0 ms would be saved. The host waits 10.0 ms in a step (6 sync points "
        "in all); a wait beside a busy GPU costs nothing.",
    ]


def test_two_times_that_read_alike_are_not_set_against_each_other() -> None:
    said = sentences("waits", steps_us=21_090.0, estimate_us=211.0)[0]
    assert said.endswith("without the waits that can go a step would be about 70 µs shorter.")


def test_an_estimate_that_would_not_show_is_no_saving() -> None:
    said = sentences("waits", estimate_us=100.0, gain_us=9_000.0)
    assert said[0] == "The GPU is idle 25 % of a step; its waits hold at most 6.0 ms of 40.0 ms."
    assert said[1].startswith("Its waits cost about 3.0 ms, and hardly any of them can simply go. ")


def test_steps_of_which_a_few_are_idle_are_not_averaged() -> None:
    numbers = {"steps": 10, "uneven_steps": 1, "uneven_idle_us": 100_000.0, "typical_idle_share": 0.01}
    first, _ = sentences("uneven", because="host_bound", **numbers)
    assert first == (
        "1 of 10 steps is idle for 100.0 ms in all, mostly because the host is late to launch: "
        "it does other work between launches;"
        " in a typical step the GPU is busy 99 %."
    )


def test_waits_that_let_the_gpu_run_dry_come_before_the_cause_that_shows() -> None:
    assert sentences("drained", gain_us=12_000.0) == [
        "Waits let the GPU run dry before the host is ready with more: without these waits a step takes "
        "about 36.0 ms instead of 40.0 ms.",
        "The GPU is idle 25 % of a step, 20 % because it is waiting for data: "
        "the next batch is not ready, most of it after such a "
        "wait.",
    ]


def test_a_busy_gpu_is_said_with_what_it_does() -> None:
    assert sentences("busy", because="input")[0] == (
        "The GPU is busy 75 % of a step: 60 % computing, 10 % communication that no computing covers, "
        "5.0 % copying."
    )
    parts = {"computing_share": 0.98, "communication_share": 0, "copying_share": 0}
    alone = sentences("busy", because="input", idle_share=0.02, **parts)
    assert alone[0] == "The GPU is busy 98 % of a step, computing."
    small = sentences("busy", because="input", cause_us=7_200.0)[1]
    assert small.startswith(
        "It is idle 6.0 % of a step because it is waiting for data: the next batch is not ready."
    )


def test_communication_is_no_computing() -> None:
    first, second = sentences("communication", communication_share=0.56)
    assert first == "The GPU spends 56 % of a step in communication that no computing covers."
    assert "Compare the ranks of this run first" in second


def test_what_is_waiting_for_sure_is_said() -> None:
    first, _ = sentences("communication", communication_share=0.56, waiting_share=0.4)
    assert first.endswith("that no computing covers, at least 40 % of a step waiting for other ranks.")


def test_much_communication_belongs_into_the_first_sentence_of_another_case() -> None:
    first, second = sentences("launch_bound", communication_share=0.38, cause_us=1.0)
    assert first.endswith("; another 38 % is communication that no computing covers.")
    assert "communication" not in second
    assert len(first.replace("\u202f%", "%").split()) <= 30
    assert second.startswith("It launches kernels more slowly than the GPU runs them. ")


def test_copying_is_no_computing() -> None:
    first, second = sentences("copying", copying_share=0.65, computing_share=0.35)
    assert first == "The GPU spends 65 % of a step copying, with nothing computed beside it."
    assert second.startswith("It computes 35 %. ")


def test_a_cold_start_is_said_with_its_calls() -> None:
    calls = {"longest_call": "cudaFree", "longest_op": "aten::addmm"}
    calls |= {"calls_us": 9000.0, "longest_us": 8000.0}
    first, second = sentences("cold_start", marked=0, calls=3, **calls)
    assert first == (
        "The recording began before the program was warm: the GPU is idle 25 % of the window, 20 % "
        "while loading in first calls (kernels and library handles)."
    )
    assert second.startswith("3 first calls took 9.0 ms, of which cudaFree in aten::addmm took 8.0 ms.")
    assert "skip_first" in second
    (first, _) = sentences("cold_start", calls=1, before_us=9000.0, recording_us=12_000.0, **calls)
    assert first == (
        "The recording began before the program was warm: first calls take 9.0 ms of its 12.0 ms before the "
        "GPU has anything to do."
    )
    assert sentences("cold_start", calls=1, **calls)[1].startswith("A first call, cudaFree in aten::addmm, ")


def test_a_window_without_steps_is_called_a_window() -> None:
    assert sentences("input", marked=0, steps=1)[0].startswith("The GPU is idle 25 % of the window, ")
    assert sentences("input", steps=1)[0].startswith("The GPU is idle 25 % of the step, ")


def test_a_cause_that_is_all_of_the_idle_is_said_with_one_figure() -> None:
    said = sentences("input", cause_us=30_000.0)[0]
    assert (
        said == "The GPU is idle 25 % of a step because it is waiting for data: the next batch is not ready."
    )


def test_no_device_is_said_without_any_figure() -> None:
    verdict, detail = verdict_sentences(stored_verdict("no_device", {}))
    assert verdict == "No GPU work was recorded."
    assert detail


def test_allocations_alone_are_no_missing_gpu() -> None:
    verdict, detail = verdict_sentences(
        stored_verdict("only_allocations", {"events": 50, "devices": "GPU 1"})
    )
    assert verdict == "The recording holds allocations only: 50 events of GPU 1."
    assert detail.startswith("The page Memory and `tbprof table memory FILE` show them")


def test_rows_that_were_lost_and_other_accelerators_are_no_missing_gpu() -> None:
    lost, advice = verdict_sentences(stored_verdict("lost_kernels", {"launches": 2000, "without": 246}))
    assert lost == "The recording lacks the GPU's work of 246 of 2,000 launches: it can't be judged."
    assert "record again" in advice
    captured, _ = verdict_sentences(stored_verdict("capture", {"launches": 428, "without": 421}))
    assert captured == "The host records a CUDA graph in this window: 421 of 428 launches ran nothing."
    other, _ = verdict_sentences(stored_verdict("other_device", {"device": "MTIA", "rows": 25_814}))
    assert other.endswith("MTIA.")


def test_of_a_file_that_is_cut_off_it_is_said_what_is_left() -> None:
    without, advice = verdict_sentences(stored_verdict("cut_off", {}))
    some, same = verdict_sentences(stored_verdict("cut_off", {"gpu_rows": 812}))
    assert without == "The file is cut off, and no GPU work is in what is left of it."
    assert some == "The file is cut off, and much of the GPU's work may be missing: it can't be judged."
    assert advice == same
    assert advice.startswith("Copy the file again")


def test_the_scope_of_all_figures_is_told_where_much_of_what_was_recorded_is_missing() -> None:
    assert "what is left of it" in scope_sentence(stored_verdict("cut_off", {"gpu_rows": 812}))
    assert "what is there" in scope_sentence(stored_verdict("lost_kernels", {"launches": 3, "without": 2}))


def test_where_none_of_the_gpu_work_is_left_that_is_the_scope() -> None:
    assert "no GPU work is in what is left" in scope_sentence(stored_verdict("cut_off", {}))
    assert "lost all of it" in scope_sentence(stored_verdict("lost_kernels", {"launches": 3, "without": 3}))
    assert scope_sentence(stored_verdict("waits", NUMBERS)) == ""


@pytest.mark.parametrize(
    ("case", "numbers"),
    [
        ("of_another_version", {}),
        ("of_another_version", NUMBERS),
        ("waits", {}),
        ("waits", {**NUMBERS, "points": "?"}),
        ("cold_start", NUMBERS),
    ],
)
def test_a_verdict_of_another_version_says_that_it_is(case: str, numbers: dict[str, float | str]) -> None:
    said = verdict_sentences(Verdict(case, verdict_figures(case, numbers)))
    assert said == ("What is said first of this window was decided by another version of tbprof.", "")


def test_a_window_of_no_length_has_sentences() -> None:
    nothing = stored_verdict("input", {**NUMBERS, "steps": 0, "all_steps": 0, "steps_us": 0.0})
    assert verdict_sentences(nothing)[0].startswith("The GPU is idle 25")


def test_a_window_that_can_not_be_shown_says_what_to_do() -> None:
    title, advice = problem_of("a.tbprof.pb", ReportTooNew("x"))
    assert title == "a.tbprof.pb is newer than this viewer"
    assert "Upgrade" in advice
    title, advice = problem_of("a.json", ReadingTookTooLong("x"))
    assert "in time" in title
    assert "Record" not in advice
    title, advice = problem_of("a.json", TraceError("x"))
    assert title == "a.json can't be shown"
    assert "Record the window again" in advice


def test_of_several_devices_the_busiest_is_judged_and_named_as_such() -> None:
    assert sentences("input", devices=2)[0].startswith("The busiest of 2 GPUs is idle 25 % of a step")
    busy = sentences("busy", because="input", devices=2, idle_share=0.05)
    assert busy[0].startswith("The busiest of 2 GPUs is busy 95 %")


def test_what_is_outside_the_window_is_said_of_both_its_sides() -> None:
    outside = {
        "recording_us": 1e6,
        "outside_us": 880_000.0,
        "before_window_us": 480_000.0,
        "after_window_us": 400_000.0,
    }
    spent = {"data_us": 700_000.0, "loading_us": 0.0}
    assert sentences("outside_window", **outside, **spent) == [
        "The GPU's work is within 120.0 ms of a recording of 1,000 ms.",
        "Of the 880.0 ms before and after that, the data loader takes 700.0 ms. "
        "Within the 120.0 ms the GPU is idle 25 %.",
    ]
