"""A call of torch.cuda that fails costs neither the training nor the window, and is missing by its name."""

from __future__ import annotations

import pytest
from failing_cuda import CudaFault, cuda_faults
from script_runner import side_by_side
from trials import Laboratory


def broken_promises(laboratory: Laboratory, planned: list[CudaFault]) -> dict[str, list[str]]:
    """What went wrong that must not, by its fault."""

    def broken_by(fault: CudaFault) -> tuple[str, list[str]]:
        trial = laboratory.trial("cuda", fault)
        return f"{fault}: {trial.operation}", list(trial.broken_promises(laboratory.bare))

    return {fault: promises for fault, promises in side_by_side(broken_by, planned) if promises}


def test_a_call_that_fails_is_no_harm(laboratory: Laboratory) -> None:
    """Every sixteenth call, with one error after the other, once and from there on by turns."""
    planned = list(cuda_faults(laboratory.operations("cuda")))
    assert len(planned) > 150
    # 6 faults at each call: 95 is coprime to that, so that all kinds have their turn.
    assert broken_promises(laboratory, planned[::95]) == {}


@pytest.mark.exhaustive
def test_no_call_that_fails_is_any_harm(laboratory: Laboratory) -> None:
    assert broken_promises(laboratory, list(cuda_faults(laboratory.operations("cuda")))) == {}
