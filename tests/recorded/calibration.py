"""A constant that is fitted on one half of the predictions and judged on the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from prediction import Prediction

from tbprof.model import Saving


def halves(judged: Sequence[Sequence[Prediction]]) -> tuple[list[Prediction], list[Prediction]]:
    """The predictions of every other program to fit with, and those of the rest to judge by."""
    return (
        [each for program in judged[::2] for each in program],
        [each for program in judged[1::2] for each in program],
    )


def fitted_factor(predictions: Sequence[Prediction]) -> float:
    """Truth over estimate, the median where there is something to win; 1 without any.

    The median, since one program whose truth is noise must not move all the others.
    """
    ratios = [
        each.true_ns / each.predicted.estimate_ns
        for each in predictions
        if each.matters and each.predicted.estimate_ns
    ]
    return float(np.median(ratios)) if ratios else 1.0


def scaled(prediction: Prediction, factor: float) -> Prediction:
    """The same with its estimate multiplied, still at most the ceiling, and the floor at most that."""
    figures = prediction.predicted
    if figures.estimate_ns is None:
        return prediction
    estimate = min(round(figures.estimate_ns * factor), figures.ceiling_ns)
    saving = Saving(min(figures.floor_ns, estimate), estimate, figures.ceiling_ns)
    return dataclasses.replace(prediction, predicted=saving)
