"""Savings that were measured on a GPU, and what is predicted from the recordings of the same programs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from calibration import halves
from prediction import Prediction
from recorded_pairs import judge_pair, read_pairs

ON_AN_H200 = Path(__file__).parents[1] / "data" / "gpu" / "pairs.zip"


@pytest.fixture(scope="module")
def held_half(tmp_path_factory: pytest.TempPathFactory) -> list[Prediction]:
    """What no constant was fitted on."""
    folder = tmp_path_factory.mktemp("pairs")
    with zipfile.ZipFile(ON_AN_H200) as archive:
        archive.extractall(folder)
    (truth,) = folder.rglob("truth.json")
    return halves([list(judge_pair(pair)) for pair in read_pairs(truth.parent)])[1]


def test_most_measured_savings_lie_between_floor_and_ceiling(held_half: list[Prediction]) -> None:
    assert len(held_half) == 100
    assert np.mean([each.is_inside for each in held_half]) >= 0.95


def test_half_of_the_estimates_of_what_matters_are_nearer_than_a_third(held_half: list[Prediction]) -> None:
    errors = [each.error for each in held_half if each.matters and each.is_estimated]
    assert np.median(errors) <= 0.33
