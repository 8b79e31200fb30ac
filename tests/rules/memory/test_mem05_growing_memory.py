"""MEM05: memory grows with each step."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable

import pytest
from check_cases import CheckCases
from rule_scenes import each_step, found
from trace_builder import TraceBuilder

from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import finding_note

KEPT = 40_000
STEPS = 5
FUNCTION = "train.py(7): keep"


class Scene:
    """Steps in which an operator gives and takes back blocks."""

    def __init__(
        self, what: Callable[[Scene, int], None], *, steps: int = STEPS, function: str | None = FUNCTION
    ) -> None:
        self._what, self._function = what, function
        self._addresses = itertools.count(1)
        self.built = each_step(self._step, steps=steps)

    def _step(self, built: TraceBuilder, at: float) -> None:
        self._building, self._at = built, at + 10
        if self._function is not None:
            built.frame(self._function, at, at + 400)
        built.op("aten::relu", at + 5, at + 300)
        # Every step has what it gives back itself.
        self.free(self.allocate(1_000_000))
        self._what(self, int(at // 1000))

    def allocate(self, size_bytes: int) -> tuple[int, int]:
        block = (next(self._addresses) << 20, size_bytes)
        self._happens(size_bytes, block[0])
        return block

    def free(self, block: tuple[int, int]) -> None:
        self._happens(-block[1], block[0])

    def _happens(self, change_bytes: int, address: int) -> None:
        self._at += 1
        self._building.memory(self._at, change_bytes, device=None, address=address)


def keeping(
    size_bytes: int = KEPT,
    *,
    until: int = STEPS,
    steps: int = STEPS,
    frees_older: bool = False,
    function: str | None = FUNCTION,
) -> TraceBuilder:
    def keep(scene: Scene, step: int) -> None:
        if frees_older and step == 1:
            scene.free((-1 << 20, 64))
        if step < until:
            scene.allocate(size_bytes)

    return Scene(keep, steps=steps, function=function).built


def queueing(length: int, *, full_before: bool) -> TraceBuilder:
    """A queue that drops the oldest of its blocks once it is full."""
    queue: deque[tuple[int, int]] = deque((-number << 20, KEPT) for number in range(length * full_before))

    def push(scene: Scene, _: int) -> None:
        queue.append(scene.allocate(KEPT))
        if len(queue) > length:
            scene.free(queue.popleft())

    return Scene(push).built


def replacing(increments: tuple[int, ...]) -> TraceBuilder:
    """A block that is replaced by one that is larger by so many times `KEPT`."""
    held: list[tuple[int, int]] = []

    def replace(scene: Scene, step: int) -> None:
        held.append(scene.allocate(sum(increments[: step + 1]) * KEPT))
        if len(held) > 1:
            scene.free(held.pop(0))

    return Scene(replace).built


def test_what_every_step_keeps_is_found_with_its_function() -> None:
    (finding,) = found(keeping(frees_older=True), "MEM05")

    assert (finding.severity, finding.confidence, finding.saving) == ("high", "medium", None)
    assert finding.numbers() == {
        "device": "CPU",
        "place": FUNCTION,
        "is_line": 0,
        "operator": "aten::relu",
        "module": "",
        "place_per_step_bytes": KEPT,
        "per_step_bytes": KEPT,
        "peak_bytes": 1_000_000 + 4 * KEPT - 64,
        "is_graph": 0,
        "may_replace_older": 0,
    }


def test_of_a_function_that_ran_before_the_window_no_line_is_known() -> None:
    built = keeping(frees_older=True, function=None)
    built.frame("train.py(52): <module>", -50, 1000 * STEPS + 50)

    (finding,) = found(built, "MEM05")

    assert finding.numbers()["place"] == "train.py: <module>"
    note = finding_note(finding, scope_of(marks_steps=True))
    assert "allocated in <module> of train.py." in note
    assert "At which line of it, a trace does not say" in note


def test_on_a_cpu_that_records_no_older_blocks_a_full_queue_may_do_the_same() -> None:
    report = keeping().report()
    (finding,) = (one for one in report.findings if one.rule == "MEM05")
    assert (finding.severity, finding.confidence) == ("medium", "low")
    assert "is not recorded on a CPU" in finding_note(finding, scope_of(marks_steps=True))


def test_a_block_that_is_replaced_by_larger_ones_is_found() -> None:
    (finding,) = found(replacing((1, 1, 1, 1, 1)), "MEM05")
    assert finding.numbers()["per_step_bytes"] == KEPT


@pytest.mark.parametrize(
    "built",
    [
        pytest.param(lambda: keeping(until=3), id="cache_that_is_full"),
        pytest.param(lambda: keeping(until=1), id="state_of_the_first_step"),
        pytest.param(lambda: queueing(2, full_before=False), id="queue"),
        pytest.param(lambda: queueing(20, full_before=True), id="long_queue_that_is_full"),
        pytest.param(lambda: replacing((5, -1, 2, -4, 3)), id="changing_shapes"),
        pytest.param(lambda: replacing((5, 1, 3, 2, 1)), id="shapes_that_grow_by_chance"),
    ],
)
def test_what_is_silent(built: Callable[[], TraceBuilder]) -> None:
    assert found(built(), "MEM05") == []


def test_three_steps_are_too_few() -> None:
    needs = {(row.rule, row.needs) for row in keeping(steps=3).report().not_checked}
    assert ("MEM05", "four steps") in needs


CASES = (
    CheckCases(
        "MEM05",
        boundary="10 kB a step",
        positive=keeping,
        negative=lambda: keeping(until=3),
        least=lambda: keeping(10_000),
        below=lambda: keeping(9_999),
    ),
)
