"""The estimator against series whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulated_sides import KINDS, SimulatedSide, noise, simulated_sides

from tbprof.experiment.estimator import FEWEST_PAIRS, estimate, steps_to_warm_up
from tbprof.experiment.measuring import ProgramEnded, Series, Wanted, measure, warm_up
from tbprof.experiment.outcome import judged

_EFFECT = 0.02


def holds_truth(kind: str, seed: int, pairs: int, effect: float = _EFFECT) -> tuple[bool, bool]:
    """Whether the interval holds the truth, and whether it excludes equality."""
    one, other, coin = simulated_sides(kind, seed, effect, 8 * pairs)
    series = measure((one, other), 4, Wanted(0.0, 0.0, math.inf, most_pairs=pairs), Series(), rng=coin)
    found = estimate(series.wall)
    assert found is not None
    return found.low <= math.log1p(effect) <= found.high, found.is_beyond(0)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_the_truth(kind: str) -> None:
    held = [holds_truth(kind, seed, 60)[0] for seed in range(300)]
    # Of 300 that hold it in 95 %, 99.9 % have between 273 and 296; heavy tails make intervals wide.
    assert 272 <= sum(held) <= 298


def test_the_same_pairs_give_the_same_interval() -> None:
    pairs = list(np.random.default_rng(1).normal(0.04, 0.02, 40))
    found = estimate(pairs)
    assert found is not None
    assert found == estimate(pairs)
    assert found.low < 0.04 < found.high
    turned = estimate([-each for each in pairs])
    assert turned is not None
    assert turned.log_ratio == pytest.approx(-found.log_ratio)


def test_few_pairs_say_nothing() -> None:
    assert estimate([0.1] * (FEWEST_PAIRS - 1)) is None
    assert estimate([0.1] * FEWEST_PAIRS) is not None


def test_one_pair_does_not_move_the_estimate() -> None:
    pairs = list(np.random.default_rng(2).normal(0, 0.01, 40))
    usual, spoiled = estimate(pairs), estimate([*pairs[:-1], 5.0])
    assert usual is not None
    assert spoiled is not None
    assert spoiled.log_ratio == pytest.approx(usual.log_ratio, abs=0.002)


@pytest.mark.parametrize(
    ("first", "expected"),
    [([3.0], (1, 10)), ([0.5] * 6, (6, 10)), (list(0.8 * np.exp(-np.arange(8) / 3)), (4, 10)), ([], (0, 10))],
)
def test_warm_up_ends_at_the_change(first: list[float], expected: tuple[int, int]) -> None:
    for seed in range(20):
        rest = np.random.default_rng(seed).normal(0, 0.02, 24)
        found = steps_to_warm_up(np.exp(rest + np.array([*first, *([0.0] * (24 - len(first)))])).tolist())
        assert found is None or expected[0] <= found <= expected[1] + 2


def test_what_never_gets_steady_is_not_warm() -> None:
    side = SimulatedSide(iter(np.linspace(2, 0, 200)))
    assert warm_up(side) == (65, False)
    with pytest.raises(ProgramEnded):
        warm_up(SimulatedSide(iter(np.zeros(200)), last=10))


@pytest.mark.parametrize(
    ("effect", "verdict"),
    [(-0.05, "faster"), (0.05, "slower"), (0.0, "no difference"), (0.0015, "no difference")],
)
def test_verdicts(effect: float, verdict: str) -> None:
    wanted = Wanted(0.005, 0.01, math.inf)
    found = []
    for other in (0.0, effect):
        *sides, coin = simulated_sides("independent", 3, other, 100_000)
        series = measure((sides[0], sides[1]), 4, wanted, Series(), rng=coin)
        found.append(estimate(series.wall))
    said, sentence = judged(found[1], found[0], wanted, by="")
    assert said == verdict, sentence
    assert "A/A" in sentence


def test_a_program_that_differs_from_itself_needs_a_larger_difference() -> None:
    wanted = Wanted(0.005, 0.01, math.inf)
    itself, small, large = (
        estimate([each + 0.001 * at for at in range(-9, 10)]) for each in (0.02, 0.02, 0.05)
    )
    assert judged(small, itself, wanted, by="")[0] == "cannot tell"
    assert judged(large, itself, wanted, by="")[0] == "slower"
    assert judged(small, None, wanted, by="", in_turns=False)[0] == "slower"
    assert judged(small, None, wanted, by="")[0] == judged(None, itself, wanted, by="")[0] == "cannot tell"


def test_pairs_end_where_a_program_does() -> None:
    machine = iter(np.random.default_rng(0).normal(0, 0.1, 500))
    sides = SimulatedSide(machine, last=50), SimulatedSide(machine, last=47)
    series = measure(sides, 4, Wanted(0.0, 0.0, math.inf), Series())
    assert series.ended is not None
    assert series.ended[0] != series.ended[1]
    assert len(series.wall) == 11


def test_drift_adds_nothing() -> None:
    drift = SimulatedSide(iter(np.linspace(0, 1, 5000)))
    series = measure((drift, drift), 4, Wanted(0.0, 0.0, math.inf, most_pairs=80), Series())
    assert abs(sum(series.wall)) < 1e-3
    assert noise("drift", np.random.default_rng(0), 400)[-1] > 0.1
