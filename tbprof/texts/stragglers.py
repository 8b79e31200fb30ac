"""Who and what makes the steps of a job long, by the table of its operations."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.figures.quantities import count, duration, share

STRAGGLES_FROM = 1.03
"""Slowdowns below are not worth a search; the authors of the analysis leave them out as well."""


def even_sentence(slowdown: float) -> str:
    return f"No rank holds the others up: a step takes {slowdown:.2f} times what it would with all alike."


def last_stage_sentence(stage: int, without_us: float, recorded_us: float) -> str:
    return (
        f"Stage {stage}, the last, makes the job slow: with its operations as long as those of the other "
        f"stages a step would take {duration(without_us)} instead of {duration(recorded_us)}."
    )


def fewer_layers_sentence() -> str:
    return "It has more work than the others: give it fewer layers."


def uneven_work_sentence(kind: str, spread: float, ideal_us: float, recorded_us: float) -> str:
    return (
        f"Micro-batches hold different amounts of work, as with sequences of different lengths: on one stage "
        f"{kind} differs by {share(spread)} from its mean. With all alike a step would take "
        f"{duration(ideal_us)} instead of {duration(recorded_us)}."
    )


def worst_ranks_sentence(ranks: Sequence[int], without_us: float, recorded_us: float) -> str:
    names = ", ".join(str(rank) for rank in ranks)
    who = f"Rank {names} makes" if len(ranks) == 1 else f"Ranks {names} make"
    than = "it" if len(ranks) == 1 else "them"
    return (
        f"{who} the job slow: with {than} as fast as the others a step would take {duration(without_us)} "
        f"instead of {duration(recorded_us)}."
    )


def kind_sentence(kind: str, slowdown: float) -> str:
    return (
        f"Of all kinds of operations {kind} costs most: alone it makes a step {slowdown:.2f} times as long."
    )


def steps_sentence(steps: int, ranks: int, step_us: float, slowdown: float) -> str:
    return (
        f"{count(steps, 'step')} of {count(ranks, 'worker')} (each a stage of a replica, with the number of "
        f"one of its ranks), {duration(step_us)} a step: {slowdown:.2f} times "
        "what it would be with all operations of a kind alike."
    )
