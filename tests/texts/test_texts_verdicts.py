"""The sentence that opens a screen, and the names of what is waited for."""

from __future__ import annotations

import pytest

from tbprof.model import Site, Verdict
from tbprof.texts.english import English
from tbprof.texts.problems import problem_of
from tbprof.texts.verdicts import site_name, verdict_sentences

NUMBERS: dict[str, int | float | str] = {
    "steps": 3,
    "steps_us": 120_000.0,
    "idle_share": 0.25,
    "empty_share": 0.004,
    "wait_us": 30_000.0,
    "points": 6,
    "ceiling_us": 18_000.0,
}


def site(*calls: str, direction: str = "", memory: str = "") -> Site:
    return Site(
        direction=direction,
        memory=memory,
        calls=calls,
        ops=(),
        source=None,
        label=None,
        module=None,
        count=1,
        blocking=1,
        per_step=(1,),
        bytes=0,
        wait_ns=1,
        wait_net_ns=1,
        explained_ns=0,
        starve_ns=0,
        instance=None,
    )


@pytest.mark.parametrize(
    ("case", "verdict", "detail"),
    [
        (
            "bracket",
            "The GPU is idle 25 % of the steps; removing waits can win at most 18.0 ms of 120.0 ms.",
            "The host waits 30.0 ms at 6 sync points; that alone is no loss.",
        ),
        (
            "gpu_bound",
            "The GPU ran dry 0.4 % of the time: at most 18.0 ms of 120.0 ms can be won by removing waits.",
            "The host waits 30.0 ms at 6 sync points, while the GPU has work.",
        ),
        (
            "no_waits",
            "Nothing makes the host wait for the GPU.",
            "The GPU is idle 25 % of the steps, and not because of waits.",
        ),
    ],
)
def test_a_verdict_says_what_can_be_won(case: str, verdict: str, detail: str) -> None:
    said = verdict_sentences(Verdict(case, NUMBERS))
    assert [text.replace("\u202f", " ") for text in said] == [verdict, detail]


def sentences(case: str, **numbers: float) -> list[str]:
    said = verdict_sentences(Verdict(case, {**NUMBERS, **numbers}))
    return [text.replace("\u202f", " ") for text in said]


def test_a_late_batch_is_told_with_what_the_waits_have_to_do_with_it() -> None:
    idle = "The GPU is idle 43 % of every step because the next batch is not ready."
    assert sentences("input", cause_share=0.43) == [
        idle,
        "The sync points are not to blame: at most 6.0 ms of 40.0 ms.",
    ]
    assert sentences("input", cause_share=0.15) == [
        "The GPU is idle 15 % of every step because the next batch is not ready.",
        "The sync points before it may let the GPU run dry: at most 6.0 ms of 40.0 ms.",
    ]
    alone = "Nothing makes the host wait for the GPU."
    assert sentences("input", cause_share=0.43, points=0) == [idle, alone]


def test_a_late_host_is_told_with_what_the_waits_have_to_do_with_it() -> None:
    assert sentences("host", cause_share=0.2) == [
        "The GPU is idle 20 % of every step because the host launches its work late.",
        "The sync points are not to blame: at most 6.0 ms of 40.0 ms.",
    ]


def test_idle_with_work_queued_is_no_line_s_fault() -> None:
    assert sentences("queued", cause_share=0.62) == [
        "The GPU is idle 62 % of every step with work queued.",
        "No line of yours is to blame; another process, another rank or unrecorded work is.",
    ]


def test_with_an_estimate_the_step_after_the_fixes_is_told() -> None:
    assert sentences("bracket", floor_us=6_000.0, estimate_us=15_000.0)[0] == (
        "The GPU is idle 25 % of every step; without waits that can go, "
        "a step takes about 35.0 ms instead of 40.0 ms."
    )


@pytest.mark.parametrize(
    ("floor_us", "said"),
    [
        (1_500.0, "a step takes about 35.0 ms instead of 40.0 ms."),
        (1_499.0, "a step of 40.0 ms gets shorter by 0.5 ms to 5.0 ms."),
    ],
)
def test_a_floor_under_a_tenth_of_the_estimate_makes_it_a_range(floor_us: float, said: str) -> None:
    assert said in sentences("bracket", floor_us=floor_us, estimate_us=15_000.0)[0]


def test_an_estimate_of_nothing_is_told_as_the_ceiling() -> None:
    assert "at most 18.0 ms" in sentences("bracket", floor_us=0.0, estimate_us=0.0)[0]


def test_no_device_is_said_without_any_figure() -> None:
    verdict, detail = verdict_sentences(Verdict("no_device", {}))
    assert verdict == "No GPU work was recorded."
    assert detail


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict("of_another_version", {}),
        Verdict("of_another_version", NUMBERS),
        Verdict("bracket", {}),
        Verdict("bracket", {**NUMBERS, "points": "?"}),
        Verdict("input", NUMBERS),
        Verdict("host", {**NUMBERS, "cause_share": 0.2, "steps": 0}),
    ],
)
def test_a_verdict_of_another_version_says_nothing(verdict: Verdict) -> None:
    assert verdict_sentences(verdict) == ("", "")


@pytest.mark.parametrize(
    ("one", "name"),
    [
        (site("cudaMemcpyAsync", direction="HtoD", memory="pageable"), "copy to the GPU, pageable memory"),
        (site("cudaMemcpyAsync", "cudaStreamSynchronize", direction="DtoH"), "copy to the host"),
        (site("hipMemcpyWithStream", direction="DtoD"), "copy on the GPU"),
        (site("cudaMemcpyPeerAsync", direction="PtoP"), "copy between GPUs"),
        (site("cudaMemcpyAsync"), "copy, direction not recorded"),
        (site("cudaMemcpyAsync", direction="AtoH"), "copy AtoH"),
        (site("cudaDeviceSynchronize"), "synchronise the device"),
        (site("hipDeviceSynchronize"), "synchronise the device"),
        (site("cudaEventSynchronize"), "synchronise the event"),
        (site("cudaStreamSynchronize"), "synchronise the stream"),
    ],
)
def test_a_site_is_named_by_what_it_does(one: Site, name: str) -> None:
    assert site_name(one) == name


def test_a_severity_says_its_bracket() -> None:
    english = English()
    assert english.severity(0, 0) == "nothing can be won"
    assert english.severity(0, 0.02) == "at most 2.0\u202f% of a step"
    assert english.severity(0.01, 0.15) == "1.0\u202f% to 15\u202f% of a step"


def test_a_window_that_can_not_be_shown_says_what_to_do() -> None:
    title, advice = problem_of("a.tbprof.pb", is_too_new=True)
    assert title == "a.tbprof.pb is newer than this viewer"
    assert "Upgrade" in advice
    title, advice = problem_of("a.json", is_too_new=False)
    assert title == "a.json can't be shown"
    assert advice
