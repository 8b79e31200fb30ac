"""Numbers that programs print: which are compared, and when two of them are the same."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from tbprof.preflight.prediction import Prediction
from tbprof.preflight.proof.record import VERSION, Said, SideRecord, StepState
from tbprof.preflight.proof.result import printed_differences, same_number
from tbprof.preflight.proof.said import Listener, parsed


@pytest.mark.parametrize(
    ("line", "words", "numbers"),
    [
        ("step 3 loss 0.25", "step # loss #", ("3", "0.25")),
        ("loss=1e-05, lr=3.0e-4", "loss=#, lr=#", ("1e-05", "3.0e-4")),
        ("tensor(0.5123, device='cuda:0', grad_fn=<NllLossBackward0>)", "#", ("0.5123",)),
        ("loss 0.5 in 12.3 ms, 81.2 it/s", "loss # in ,", ("0.5",)),
        ("2026-11-28 10:12:13,123 INFO loss 2", "INFO loss #", ("2",)),
        ("elapsed: 12.5 loss 1.5", "loss #", ("1.5",)),
        ("1,024 samples, nan", "# samples, #", ("1024", "nan")),
        ("I train.py:31] layer4 accuracy 95.5%", "I ] layer4 accuracy #%", ("95.5",)),
        ("on cuda:1 saved to /tmp/run-12/model.pt", "on saved to", ()),
    ],
)
def test_words_and_numbers(line: str, words: str, numbers: tuple[str, ...]) -> None:
    assert parsed(line) == (words, numbers)


def test_progress_and_warnings_are_not_compared() -> None:
    listener = Listener(lambda: 7, "")
    hear = listener._hearing("stdout", lambda text: len(text))
    for text in (
        "loss ",
        "1.5",
        "\n",
        "\r 40%| 4/10",
        "\n",
        "train.py:3: UserWarning: 2 of 3\n",
        "  step(4)\n",
        "5\n",
    ):
        hear(text)
    assert listener.said == [Said(7, "loss #", ("1.5",)), Said(7, "#", ("5",))]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("0.5123", "0.51234567", True),
        ("0.5123", "0.5125", False),
        ("3", "3.0", True),
        ("3", "3.4", False),
        ("1e-05", "1.04e-05", True),
        ("nan", "nan", True),
        ("nan", "1.0", False),
        ("0.50", "0.505", True),
        ("inf", "inf", True),
    ],
)
def test_the_same_number(one: str, other: str, is_same: bool) -> None:
    assert same_number(one, other) is is_same


def record(said: list[tuple[int, str]]) -> SideRecord:
    prediction = Prediction("", "", "stopped", "", (), True, (), (), ())
    steps = tuple(StepState((), {}, {}, "", ()) for _ in range(6))
    lines = tuple(Said(step, "loss #", (number,)) for step, number in said)
    return SideRecord(VERSION, prediction, steps, (), (), lines, (), 1, (), (), (), (), None)


USUAL = [(step, f"{step}.5") for step in range(1, 6)]


@pytest.mark.parametrize(
    ("after", "how"),
    [
        (USUAL, []),
        ([(step + 1, number) for step, number in USUAL[:-1]], ["late"]),
        (USUAL[::2], ["seldom"]),
        ([(step + 2, number) for step, number in USUAL[:-2]], ["other"]),
        ([], ["gone"]),
        ([(1, "0.0"), *USUAL[1:]], ["other"]),
        (USUAL[1:] + USUAL[:1], ["other"]),
    ],
)
def test_what_became_of_a_figure(after: list[tuple[int, str]], how: list[str]) -> None:
    found = printed_differences(record(USUAL), record(after), None, None)
    assert [each.how for each in found] == how


def test_what_differs_between_runs_of_one_program_is_left_out() -> None:
    again = record([(1, "9.5"), *USUAL[1:]])
    assert printed_differences(record(USUAL), record([]), again, None) == ()
