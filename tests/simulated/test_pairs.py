"""Pairs as a device would record them: read, judged and calibrated on programs whose truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from calibration import fitted_factor, halves, scaled
from judgment import judge
from prediction import ALL_SITES, Prediction
from random_programs import random_program
from recorded_pairs import judge_pair, read_pairs
from simulated_pairs import write_pairs

from tbprof.model import Saving

SEEDS = range(11_000, 11_012)
RECORDED_ON_A_CPU = Path(__file__).parents[1] / "data" / "pairs_on_a_cpu"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recording") / "pairs"
    write_pairs(folder, map(random_program, SEEDS))
    return folder


def test_a_recorded_pair_is_judged_as_the_program_itself(recording: Path) -> None:
    programs = [program for program in map(random_program, SEEDS) if program.sites]
    for program, pair in zip(programs, read_pairs(recording), strict=True):
        direct = [each for each in judge(program).predictions if each.site >= ALL_SITES]
        steps = len(program.steps) - program.steps_before
        for recorded, told in zip(judge_pair(pair, is_profiled=False), direct, strict=True):
            assert recorded.true_ns * steps == pytest.approx(told.true_ns, abs=steps)
            assert shares_of_ceiling(recorded) == pytest.approx(shares_of_ceiling(told), abs=1e-3)


def shares_of_ceiling(prediction: Prediction) -> tuple[float, float]:
    """Floor and, where there is one, estimate: the same in a window and in a step of it."""
    figures = prediction.predicted
    ceiling = max(figures.ceiling_ns, 1)
    return figures.floor_ns / ceiling, (figures.estimate_ns or 0) / ceiling


def test_most_measured_savings_lie_between_floor_and_ceiling(recording: Path) -> None:
    predictions = [each for pair in read_pairs(recording) for each in judge_pair(pair)]
    assert np.mean([each.is_inside for each in predictions]) >= 0.9


def test_a_pair_without_times_or_a_trace_is_left_aside(recording: Path, tmp_path: Path) -> None:
    truth = json.loads((recording / "truth.json").read_text(encoding="utf-8"))
    truth["pairs"][0]["savings"] = None
    truth["pairs"][1]["trace"] = None
    (tmp_path / "truth.json").write_text(json.dumps(truth), encoding="utf-8")
    assert len(read_pairs(tmp_path)) == len(truth["pairs"]) - 2


def test_pairs_recorded_without_a_gpu_have_nothing_to_judge() -> None:
    pairs = read_pairs(RECORDED_ON_A_CPU)
    assert [site.label for site in pairs[0].sites] == ["site:s0:to_host"]
    assert [prediction for pair in pairs for prediction in judge_pair(pair)] == []


def prediction(estimate_ns: int, true_ns: int) -> Prediction:
    return Prediction(0, Saving(0, estimate_ns, 1_000), true_ns, window_ns=10_000)


def test_a_factor_is_the_median_of_what_matters() -> None:
    noise = prediction(10, 50)
    assert fitted_factor([prediction(400, 800), prediction(500, 1_000), prediction(300, 900), noise]) == 2.0
    assert fitted_factor([noise]) == 1.0


def test_a_scaled_estimate_stays_under_its_ceiling() -> None:
    assert scaled(prediction(400, 800), 2.0).predicted.estimate_ns == 800
    assert scaled(prediction(800, 800), 2.0).predicted.estimate_ns == 1_000


def test_what_is_fitted_on_is_not_what_is_judged() -> None:
    programs = [[prediction(100, number)] for number in range(5)]
    fit, held = halves(programs)
    assert [each.true_ns for each in fit] == [0, 2, 4]
    assert [each.true_ns for each in held] == [1, 3]
