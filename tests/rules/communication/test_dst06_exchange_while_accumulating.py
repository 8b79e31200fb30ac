"""DST06: gradients are exchanged although they are only added up."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from communication_scenes import NAME
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.model import Finding


def training(
    passes: int, *, exchanged: tuple[int, ...], exposed: float = 200, sizes: tuple[int, ...] = ()
) -> TraceBuilder:
    """Two steps of 10,000 us with one optimizer step each; `exchanged` are the passes that send gradients."""
    built = TraceBuilder()
    for start in (0.0, 10_000.0):
        built.step(int(start) // 10_000, start, start + 10_000)
        for number in range(passes):
            at = start + 10 + 1_000 * number
            built.annotation("DistributedDataParallel.forward", at, at + 50)
            built.launch(at + 10, at + 20, runs=(at + 30, at + 500))
            if number in exchanged:
                built.op("record_param_comms", at + 100, at + 110, thread=200)
                said = {"In msg nelems": sizes[number] if sizes else 1000, "dtype": "Float"}
                built.events[-1]["args"].update({**said, "Collective name": "allreduce", "Group size": 2})
                runs = (at + 500, at + 500 + exposed)
                built.launch(at + 101, at + 105, runs=runs, name=NAME, stream=20, thread=200)
        built.annotation("Optimizer.step#Adam.step", start + 9_000, start + 9_100)
        built.launch(start + 9_001, start + 9_002, runs=(start + 9_010, start + 9_100))
    return built


def accumulating(
    passes: int, *, exchanged: tuple[int, ...], exposed: float = 200, sizes: tuple[int, ...] = ()
) -> list[Finding]:
    return found(training(passes, exchanged=exchanged, exposed=exposed, sizes=sizes), "DST06")


def test_all_exchanges_but_the_last_of_a_step_are_too_many() -> None:
    (finding,) = accumulating(4, exchanged=(0, 1, 2, 3))
    assert (finding.count, finding.removal, finding.numbers()["passes"]) == (6, "drop", 6)
    assert finding.saving is not None
    assert (finding.saving.estimate_ns, finding.saving.ceiling_ns) == (None, 6 * 200_000 + 82_000)


@pytest.mark.parametrize(
    ("passes", "exchanged"), [(1, (0,)), (4, (3,))], ids=["one pass a step", "with no_sync"]
)
def test_one_exchange_a_step_is_silent(passes: int, exchanged: tuple[int, ...]) -> None:
    assert accumulating(passes, exchanged=exchanged) == []


def test_two_models_that_share_a_step_send_different_messages() -> None:
    assert accumulating(2, exchanged=(0, 1), sizes=(1000, 2000)) == []


@pytest.mark.parametrize(("exposed", "count"), [(99, 0), (100, 1)])
def test_from_one_percent_of_the_steps_on(exposed: float, count: int) -> None:
    assert len(accumulating(2, exchanged=(0, 1), exposed=exposed)) == count


def exchanged_in(*passes: int, exposed: float = 200) -> TraceBuilder:
    return training(2, exchanged=passes, exposed=exposed)


CASES = (
    CheckCases(
        "DST06",
        boundary="1 % of the steps",
        positive=lambda: exchanged_in(0, 1),
        negative=lambda: exchanged_in(1),
        least=lambda: exchanged_in(0, 1, exposed=100),
        below=lambda: exchanged_in(0, 1, exposed=99),
    ),
)
