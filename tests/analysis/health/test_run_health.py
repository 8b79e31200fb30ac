"""What a window says of the run that it is of."""

from __future__ import annotations

from typing import Any

import pytest
from hook_scenes import hook_facts, report_with, the_audit
from trace_builder import TraceBuilder

from tbprof.model import HookFacts, MissingFact
from tbprof.texts.health import health_sentence

CODES = ("inference", "accumulation", "gpu_shared", "fact_missing")


def said(built: TraceBuilder, facts: HookFacts) -> list[str]:
    health = report_with(facts, built).trace.health
    return [health_sentence(fact) for fact in health if fact.code in CODES]


def training(optimizer_steps: list[int]) -> TraceBuilder:
    """Steps of 1000 us, with so many steps of the optimizer in each."""
    built = TraceBuilder()
    for number, times in enumerate(optimizer_steps):
        built.step(number, 1000 * number, 1000 * number + 1000)
        for index in range(times):
            at = 1000 * number + 100 * index + 50
            built.annotation("Optimizer.step#SGD.step", at, at + 20)
    return built


@pytest.mark.parametrize(
    ("optimizer_steps", "backward_calls", "sentences"),
    [
        ([1, 1], 1, []),
        ([2, 2], 2, []),
        ([0, 0, 0, 1], 1, ["Gradients accumulate: 4 recorded steps hold 1 step of the optimizer."]),
        ([1, 1], 4, ["Gradients accumulate: a step goes back through the model 4 times."]),
        ([0, 0], 4, []),
    ],
    ids=["plain", "two optimizers", "micro-batches as steps", "micro-batches in a step", "no optimizer"],
)
def test_gradients_that_accumulate_are_marked(
    optimizer_steps: list[int], backward_calls: int, sentences: list[str]
) -> None:
    facts = hook_facts(audit=the_audit(backward_calls=backward_calls), recorded_steps=len(optimizer_steps))
    assert said(training(optimizer_steps), facts) == sentences


@pytest.mark.parametrize(
    ("known", "sentences"),
    [
        ({"phase": "inference"}, ["The steps are those of a program that only infers."]),
        (
            {"other_gpu_processes": 2},
            ["2 other processes on the GPU: the figures hold the time that it worked for them."],
        ),
        ({"other_gpu_processes": 0}, []),
        (
            {"missing": (MissingFact("allocator_counts", "RuntimeError: no statistics"),)},
            ["Not recorded: what the GPU's allocator did (RuntimeError: no statistics)."],
        ),
        ({}, []),
    ],
)
def test_what_the_hook_saw_around_the_program_is_said(known: dict[str, Any], sentences: list[str]) -> None:
    assert said(training([1, 1]), hook_facts(**known)) == sentences
