"""What is followed of a training, against what torch's allocator for the CPU records of the same one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from memory_trainings import TRAININGS

from tbprof.errors import UsageError
from tbprof.preflight.fits.one_size import Outcome, Task, followed

_CPU = torch.profiler.ProfilerActivity.CPU
CHEAP = ("perceptron, Adam", "inference", "strided convolutions")
"""Of the last one, an operator has the most inside."""

EXACT = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(100, 200), torch.nn.ReLU(), torch.nn.Linear(200, 10)).to("cuda")
optimizer = torch.optim.Adam(model.parameters(), foreach=False)
for _ in range(2):
    loss = model(torch.randn(7, 100, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""

CLOSED = """
import torch
model = torch.nn.Linear(1000, 1, bias=False).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), foreach=False)
def closure():
    optimizer.zero_grad()
    loss = model(torch.randn(500, 1000, device="cuda")).sum()
    loss.backward()
    return loss
for _ in range(2):
    optimizer.step(closure)
"""


@pytest.fixture
def follow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Follows a script in this process."""

    def run(source: str, batch: int = 16, *, replaces_loaders: bool = False, flag: str = "") -> Outcome:
        (script := tmp_path / "train.py").write_text(source)
        # What running a program as the main one changes.
        monkeypatch.setattr(sys, "argv", sys.argv[:])
        monkeypatch.setattr(sys, "path", ["", *sys.path])
        monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        monkeypatch.setenv("TBPROF_BATCH_SIZE", str(batch))
        arguments = (flag, str(batch)) if flag else ()
        return followed(Task(str(script), arguments, False, batch, replaces_loaders, flag, 2, None))

    return run


def recorded_peak(source: str) -> int:
    """Above what the record began with: totals go on from one recording of a process to the next."""
    with torch.profiler.profile(activities=[_CPU], profile_memory=True) as recorded:
        exec(source, {"__name__": "__main__"})
    events = [*_allocations(recorded.profiler.kineto_results.experimental_event_tree())]
    first = min(events, key=lambda event: int(event.start_time_ns)).extra_fields
    most = max(int(event.extra_fields.total_allocated) for event in events)
    return most - int(first.total_allocated - first.alloc_size)


def _allocations(events: list[Any]) -> Iterator[Any]:
    for event in events:
        if event.typed[0].name == "Allocation":
            yield event
        yield from _allocations(event.children)


def judged(follow: Any, name: str) -> None:
    outcome = follow(TRAININGS[name])
    assert (outcome.error, outcome.steps) == ("", 2)
    assert outcome.peak.running_bytes == pytest.approx(recorded_peak(TRAININGS[name]), rel=0.01)


@pytest.mark.parametrize("name", CHEAP)
def test_the_peak_is_that_of_the_allocators_record(follow: Any, name: str) -> None:
    judged(follow, name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in TRAININGS if name not in CHEAP])
def test_the_peak_of_other_trainings_is_too(follow: Any, name: str) -> None:
    judged(follow, name)


CONVOLVED = """
import torch
model = torch.nn.Conv2d(16, 16, 3, padding=1).to("cuda")
for _ in range(2):
    model(torch.randn(8, 16, 32, 32, device="cuda")).sum().backward()
"""


def test_what_an_operator_has_inside_is_told_with_its_line(follow: Any) -> None:
    peak = follow(CONVOLVED).peak
    assert peak.running_bytes > peak.requested_bytes
    assert peak.running.startswith("aten::convolution_backward at train.py(5)")


def test_a_program_that_profiles_itself_is_followed_without_what_is_inside(follow: Any) -> None:
    profiled = "with torch.autograd.profiler.profile():\n    model(torch.randn(8, 16, 32, 32, device='cuda'))"
    peak = follow(CONVOLVED.partition("for")[0] + profiled).peak
    assert (peak.running, peak.running_bytes) == ("", peak.requested_bytes)


def test_what_holds_the_peak_is_told_by_kind_module_and_line(follow: Any) -> None:
    peak = follow(EXACT).peak
    # Weights and biases in multiples of 512 bytes.
    parameters = 80_384 + 1_024 + 8_192 + 512
    assert peak.kinds["parameters"] == parameters
    # Adam's two moments; what counts its steps stays on the host.
    assert peak.kinds["optimizer state"] == 2 * parameters
    assert sum(peak.kinds.values()) == sum(peak.modules.values()) == peak.allocated_bytes
    assert set(peak.modules) >= {"Sequential.0", "Sequential.2"}
    assert any("train.py(6)" in line for line in peak.lines)


def test_a_closure_has_its_backward_inside_of_the_optimizers_step(follow: Any) -> None:
    peak = follow(CLOSED).peak
    assert (peak.phase, peak.kinds["gradients"]) == ("backward", 4_096)


def test_nothing_on_a_gpu_is_no_peak_and_an_error_is_told(follow: Any) -> None:
    assert follow("import torch; torch.ones(3)").peak is None
    failed = follow("import torch; x = torch.ones(300, device='cuda'); raise ValueError('no data')")
    assert failed.peak.allocated_bytes == 1536
    assert "no data" in failed.error


AVERAGED = """
import copy, torch
model = torch.nn.Linear(100, 100, bias=False).to("cuda")
averaged = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), foreach=False)
for _ in range(2):
    model(torch.randn(7, 100, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def test_a_copy_of_the_model_that_nobody_calls_is_parameters(follow: Any) -> None:
    peak = follow(AVERAGED).peak
    block = -(-100 * 100 * 4 // 512) * 512
    assert (peak.kinds["parameters"], peak.kinds["gradients"]) == (2 * block, block)


def test_without_a_gpu_the_reason_is_said(follow: Any) -> None:
    outcome = follow(EXACT.replace(', device="cuda"', "").replace('.to("cuda")', ""))
    assert (outcome.peak, outcome.error[:28]) == (None, "nothing was put on a GPU; th")


def test_an_argument_that_the_program_does_not_look_at_says_nothing_of_its_batch(follow: Any) -> None:
    assert follow(f"import sys; print(sys.argv[2])\n{CONVOLVED}", flag="--bs").error == ""
    with pytest.raises(UsageError, match="looks at none of its arguments, so --bs changes nothing"):
        follow(CONVOLVED, flag="--bs")
