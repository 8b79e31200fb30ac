"""The sentences of two windows beside each other, as the views ask for them."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.screens.comparison import (
    alike_sentence,
    comparison_sentence,
    difference_sentence,
    figure_words,
    moved_wait_sentence,
    nothing_to_compare,
    recorded_steps_sentence,
    taken_note,
    unprofiled_steps_sentence,
    went_note,
)

__all__ = ["ComparingEnglish"]


class ComparingEnglish:
    """The part of `English` that compares."""

    def compared(
        self, before_us: float, after_us: float, *, is_told: bool | None, is_unprofiled: bool
    ) -> str:
        return comparison_sentence(before_us, after_us, is_told=is_told, is_unprofiled=is_unprofiled)

    def step_difference(self, change_us: float, least_us: float | None) -> str:
        return difference_sentence(change_us, least_us)

    def compared_figure(self, code: str, planned_us: float | None) -> tuple[str, str]:
        return figure_words(code, planned_us)

    def alike(self, names: Sequence[str]) -> str:
        return alike_sentence(names)

    def nothing_to_compare(self) -> str:
        return nothing_to_compare()

    def moved_wait(self, source: str, target: str, net_us: float) -> str:
        return moved_wait_sentence(source, target, net_us)

    def wait_went(self, target: str) -> str:
        return went_note(target)

    def wait_taken(self, source: str, taken_us: float) -> str:
        return taken_note(source, taken_us)

    def recorded_steps(self, steps: int, mean_us: float, distance_us: float | None) -> str:
        return recorded_steps_sentence(steps, mean_us, distance_us)

    def unprofiled_steps(self, median_us: float, low_us: float, high_us: float) -> str:
        return unprofiled_steps_sentence(median_us, low_us, high_us)
