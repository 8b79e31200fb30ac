"""MEM03: memory is fragmented, so that much of it lies unused while the allocator takes more."""

from __future__ import annotations

from check_cases import CheckCases
from rule_scenes import each_step, found
from trace_builder import TraceBuilder

MIB = 1 << 20


def reserving(*, free: int, taken: int, reserved: int = 1000, in_step: int = 2) -> TraceBuilder:
    """In a step the allocator takes more MiB, while as many of what it held were free."""

    def allocate(built: TraceBuilder, at: float) -> None:
        built.op("aten::empty", at, at + 50)
        step, given = int(at // 1000), reserved - free
        held = reserved + taken * (step > in_step)
        grows = taken * (step == in_step)
        built.memory(at + 10, 0, address=1, totals=(given * MIB, held * MIB))
        totals = ((given + grows) * MIB, (held + grows) * MIB)
        built.memory(at + 20, grows * MIB, address=2, totals=totals)

    return each_step(allocate)


def test_free_pieces_that_nothing_fits_into_are_found() -> None:
    (finding,) = found(reserving(free=300, taken=200), "MEM03")

    assert (finding.severity, finding.steps, finding.saving) == ("low", (2,), None)
    assert finding.numbers() == {
        "device": "GPU 0",
        "free_bytes": 300 * MIB,
        "reserved_bytes": 1200 * MIB,
        "taken_bytes": 200 * MIB,
    }


def test_a_large_block_is_no_sign_where_less_was_free() -> None:
    assert found(reserving(free=300, taken=301), "MEM03") == []


def test_what_small_tensors_take_is_silent() -> None:
    assert found(reserving(free=300, taken=20), "MEM03") == []


def test_the_first_step_sets_memory_up() -> None:
    assert found(reserving(free=300, taken=200, in_step=0), "MEM03") == []


def test_without_totals_it_is_not_checked() -> None:
    built = each_step(lambda built, at: built.memory(at, 4 * MIB))
    needs = {(row.rule, row.needs) for row in built.report().not_checked}
    assert ("MEM03", "memory events of a GPU") in needs


CASES = (
    CheckCases(
        "MEM03",
        boundary="a tenth of what is reserved",
        positive=lambda: reserving(free=500, taken=400),
        negative=lambda: reserving(free=500, taken=10),
        least=lambda: reserving(free=103, taken=30),
        below=lambda: reserving(free=102, taken=30),
    ),
)
