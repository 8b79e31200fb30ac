"""Samples of the training's stack: what they say of programs whose time by line is known, and leave alone."""

from __future__ import annotations

import gc
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from statistics import median
from time import perf_counter_ns

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset

from tbprof.hook.audit.line_recorder import LineRecorder
from tbprof.hook.audit.stack_sampler import StackSampler
from tbprof.hook.safety.guard import MissingFacts
from tbprof.model import IN_LOADER, SampledLine

DATA = np.random.default_rng(0).random((300, 300))


def sort() -> None:
    """NumPy, which lets other threads run, and does not."""
    for _ in range(4):
        np.sort(DATA, axis=0)


def count() -> None:
    """Python alone."""
    total = 0
    for number in range(60_000):
        total += number * number


def multiply() -> None:
    """Operators of torch's."""
    matrix = torch.ones(200, 200)
    for _ in range(10):
        matrix = matrix @ matrix / 200


def sampled(
    program: Callable[[], object], sampler: StackSampler | None = None, *, with_mode: bool = True
) -> tuple[tuple[SampledLine, ...], int]:
    recorder, sampler = LineRecorder(MissingFacts()), sampler or StackSampler()
    if with_mode:
        recorder.begin()
    sampler.start()
    try:
        program()
    finally:
        sampler.stop()
        if with_mode:
            recorder.end()
    return sampler.lines, sampler.taken


@pytest.mark.slow
def test_the_shares_of_lines_are_those_of_their_time() -> None:
    """Within 5 points at 200 samples; the median of five, as chance alone moves a share by 3 or 4."""
    errors, shares_of_torch = zip(*(error_of_a_share() for _ in range(5)), strict=True)
    assert abs(median(errors)) < 0.05
    # A sample stands for the time since the one before, so that one alone may be a fifth of so little.
    assert median(shares_of_torch) < 0.1


def error_of_a_share() -> tuple[float, float]:
    """The error of what sorts, and how much of what torch's operators take is told as Python's."""
    sampler, spent_ns = StackSampler(), Counter[str]()

    def program() -> None:
        while sampler.taken < 200:
            # Each for about as long.
            for part, times in ((sort, 40), (count, 20), (multiply, 1)):
                began_ns = perf_counter_ns()
                for _ in range(times):
                    part()
                spent_ns[part.__name__] += perf_counter_ns() - began_ns

    lines, _ = sampled(program, sampler)
    seen_ns: Counter[str] = Counter()
    for line in lines:
        seen_ns[line.function if line.caller is None else line.caller.function] += line.time_ns
    error = share_of_sorting(seen_ns) - share_of_sorting(spent_ns)
    return error, seen_ns["multiply"] / spent_ns["multiply"]


def share_of_sorting(time_ns: Counter[str]) -> float:
    return time_ns["sort"] / (time_ns["sort"] + time_ns["count"])


def test_a_line_of_a_library_has_the_program_s_own_line_that_runs_it() -> None:
    lines, _ = sampled(lambda: [sort() for _ in range(40)])
    (library,) = {
        line.function for line in lines if line.caller is not None and line.caller.function == "sort"
    }
    assert library == "sort"


class Items(Dataset[int]):
    """Makes each item in Python."""

    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> int:
        count()
        return index


def test_what_a_loader_runs_in_the_training_process_is_its_own() -> None:
    lines, _ = sampled(lambda: list(DataLoader(Items(), batch_size=5)))
    assert {line.within for line in lines if line.function == "count"} == {IN_LOADER}


def test_the_program_s_objects_die_when_and_where_they_would() -> None:
    died_in: Counter[int] = Counter()

    class Held:
        def __init__(self) -> None:
            self.own = self

        def __del__(self) -> None:
            died_in[threading.get_ident()] += 1

    def hold() -> weakref.ref[Items]:
        held, _ = Items(), Held()
        count()
        return weakref.ref(held)

    thresholds = gc.get_threshold()
    # Whatever is allocated has garbage collected.
    gc.set_threshold(1)
    try:
        lines, taken = sampled(lambda: [hold()() for _ in range(150)], with_mode=False)
        kept, _ = sampled(lambda: kept_alive.extend(hold()() for _ in range(50)), with_mode=False)
    finally:
        gc.set_threshold(*thresholds)
    gc.collect()
    assert taken > 0
    assert lines or kept
    assert [one for one in kept_alive if one is not None] == []
    assert died_in.keys() == {threading.get_ident()}


kept_alive: list[Items | None] = []


@pytest.mark.parametrize("is_enabled", [True, False])
def test_the_collector_stays_as_the_program_has_it(is_enabled: bool) -> None:
    answers: Counter[bool] = Counter()

    def program() -> None:
        for _ in range(20):
            count()
            answers.update(gc.isenabled() for _ in range(2_000))

    (gc.enable if is_enabled else gc.disable)()
    try:
        sampled(program, with_mode=False)
    finally:
        gc.enable()
    assert answers.keys() == {is_enabled}
