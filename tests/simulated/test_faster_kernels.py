"""What shorter kernels win at most, held against programs that were run again with them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from program import Action, Launch, Program
from random_programs import random_program
from recording import record
from simulated_host import run

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import faster_device_ns

SAMPLE = range(50_000, 50_010)
EXHAUSTIVE = range(51_000, 51_300)
SLACK = 0.01
"""Of a window: latencies, and what is left of a wait for nothing."""


def with_half_kernels(program: Program) -> Program:
    """The program with all its recorded kernels half as long."""

    def halved(action: Action) -> Action:
        if not isinstance(action, Launch) or not action.recorded:
            return action
        return dataclasses.replace(action, runs_ns=tuple(length // 2 for length in action.runs_ns))

    steps = tuple(tuple(halved(action) for action in step) for step in program.steps)
    side, feeder = (tuple(halved(action) for action in part) for part in (program.side, program.feeder))
    return dataclasses.replace(program, steps=steps, side=side, feeder=feeder)


def is_under_ceiling(seed: int) -> bool:
    program = random_program(seed)
    whole = run(program)
    won_ns = whole.window_ns - run(with_half_kernels(program)).window_ns
    facts = Facts(record(program, whole).trace())
    return won_ns <= faster_device_ns(facts) + SLACK * whole.window_ns


@pytest.mark.parametrize(
    "seeds", [SAMPLE, pytest.param(EXHAUSTIVE, marks=pytest.mark.exhaustive)], ids=["some", "many"]
)
def test_hardly_any_truth_lies_above_the_ceiling(seeds: range) -> None:
    assert np.mean([is_under_ceiling(seed) for seed in seeds]) >= 0.95
