"""What counts as a step, of programs with one optimizer, several, and none; and the limit in time."""

from __future__ import annotations

import contextlib
import re
import time
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tbprof.errors import UsageError  # noqa: E402
from tbprof.preflight.document import document  # noqa: E402
from tbprof.preflight.session import Preflight  # noqa: E402


def model_on_device() -> Any:
    return torch.nn.Linear(4, 1).to("cuda")


def take_step(model: Any, optimizer: Any) -> None:
    model(torch.ones(2, 4, device="cuda")).sum().backward()
    optimizer.step()


def read(value: Any) -> float:
    return float(value.sum().item())


def training_after_a_set_up(steps: int) -> None:
    model = model_on_device()
    for _ in range(8):
        read(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        take_step(model, optimizer)
        read(model.weight)


def test_calls_of_the_set_up_are_no_calls_of_a_step() -> None:
    with Preflight() as preflight:
        training_after_a_set_up(9)
    (finding,) = [found for found in preflight.findings if found.rule.startswith("SYN")]
    assert (finding.rule, preflight.sites[finding.site].per_warm_step) == ("SYN01", 1)
    assert "1 a step (8 times before)" in preflight.text()
    (told,) = [row for row in document(preflight.prediction)["findings"] if row["rule"] == "SYN01"]
    assert told["numbers"]["per_step"] == 1


def test_a_line_that_runs_in_some_steps_says_in_how_many() -> None:
    with Preflight() as preflight:
        model = model_on_device()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(9):
            take_step(model, optimizer)
            if step % 10 == 0:
                read(model.weight)
    assert "1 in 1 of 3 steps, 4\u202fB each" in preflight.text()


def test_where_only_the_warm_up_was_taken_the_set_up_is_said_to_count() -> None:
    with Preflight() as preflight:
        training_after_a_set_up(1)
    assert "set-up counts as part of the first step" in preflight.text()


def test_without_a_step_nothing_is_said_of_one() -> None:
    with Preflight() as preflight:
        model = model_on_device()
        for _ in range(7):
            read(model.weight)
    text = preflight.text()
    assert "(torch " in text.splitlines()[0]
    assert text.splitlines()[0].endswith(", no step)")
    assert "7 in all, 4\u202fB each" in text
    assert "no optimizer step was seen: everything is counted as one stretch" in text
    assert "a step," not in text
    assert {finding.rule for finding in preflight.findings} == {"SYN01", "CPY04"}
    assert not any(finding.every_step for finding in preflight.findings)


def test_a_program_that_fails_at_once_has_no_step() -> None:
    preflight = Preflight(program="train.py")
    with pytest.raises(ModuleNotFoundError), preflight:
        __import__("no_such_module_of_theirs")
    first, *_ = preflight.text().splitlines()
    assert first.endswith(", no step)")
    assert "no optimizer step" not in preflight.text()


def test_each_fold_has_an_optimizer_of_its_own_and_all_their_steps_count() -> None:
    with Preflight(steps=9) as preflight:
        for _ in range(6):
            model = model_on_device()
            optimizer = torch.optim.Adam(model.parameters())
            # A scheduler and its optimizer hold each other.
            torch.optim.lr_scheduler.StepLR(optimizer, 1)
            for _ in range(3):
                take_step(model, optimizer)
    assert preflight.prediction.ending == "stopped"
    assert len(preflight.prediction.steps) == 10
    assert "From here on steps are those of another optimizer, Adam" in preflight.text()


def test_another_phase_takes_over_when_the_first_optimizer_is_silent() -> None:
    with Preflight(steps=None) as preflight:
        model = model_on_device()
        kept = [torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.Adam(model.parameters())]
        for optimizer, steps in zip(kept, (2, 9), strict=True):
            for _ in range(steps):
                take_step(model, optimizer)
    # The first steps of the second one show that the first is silent.
    assert len(preflight.prediction.steps) == 2 + 9 - 3


def test_two_optimizers_in_turn_take_one_step() -> None:
    with Preflight(steps=None) as preflight:
        pair = [model_on_device(), model_on_device()]
        optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in pair]
        for _ in range(5):
            for model, optimizer in zip(pair, optimizers, strict=True):
                take_step(model, optimizer)
    assert len(preflight.prediction.steps) == 5


def test_an_optimizer_whose_turn_has_not_come_is_told_of() -> None:
    with Preflight(steps=2) as preflight:
        critic, generator = model_on_device(), model_on_device()
        often, seldom = (torch.optim.RMSprop(model.parameters()) for model in (critic, generator))
        while True:
            for _ in range(5):
                take_step(critic, often)
            take_step(generator, seldom)
    # Whatever other optimizers this process still holds are named as well.
    assert re.search(r"of the program's optimizers \(.*\bRMSprop\b.*\) had not stepped", preflight.text())


class Sampler:
    """Steps that no optimizer takes."""

    def sample(self) -> float:
        return read(torch.ones(2, device="cuda"))


def test_a_step_is_what_a_named_function_does() -> None:
    with Preflight(steps=2, step_on=f"{__name__}:Sampler.sample") as preflight:
        for _ in range(9):
            Sampler().sample()
    assert preflight.prediction.ending == "stopped"
    assert "1 a step" in preflight.text()
    assert not hasattr(Sampler.sample, "__wrapped__")


def test_a_name_that_can_be_none_is_refused() -> None:
    with pytest.raises(UsageError, match="names no function"):
        Preflight(step_on="Sampler sample")


def test_a_function_that_is_not_there_is_noted() -> None:
    with Preflight(step_on=f"{__name__}:Sampler.nothing") as preflight:
        Sampler().sample()
    assert "Sampler.nothing can't be found" in preflight.text()


def test_a_limit_in_time_ends_what_takes_no_step_and_swallows_exceptions() -> None:
    with Preflight(time_limit=0.2) as preflight:
        read(torch.ones(2, device="cuda"))
        while True:
            with contextlib.suppress(Exception):
                time.sleep(60)
    assert preflight.prediction.ending == "out_of_time"
    assert "scalar read" in preflight.text()
    with pytest.raises(UsageError, match="after 0 seconds"):
        Preflight(time_limit=0)


class Wrapped(torch.optim.Optimizer):
    """As Accelerate has them: around the one that steps."""

    def __init__(self, optimizer: torch.optim.Optimizer) -> None:
        self.optimizer = optimizer

    def step(self, closure: Any = None) -> None:
        self.optimizer.step(closure)


def test_one_around_an_optimizer_that_steps_is_none_that_is_still_to_come() -> None:
    with Preflight(steps=1, warmup=0) as preflight:
        model = torch.nn.Linear(2, 1).to("cuda")
        wrapped = Wrapped(torch.optim.SGD(model.parameters(), lr=0.1))
        for _ in range(3):
            model(torch.ones(1, 2, device="cuda")).sum().backward()
            wrapped.step()
    assert "Wrapped" not in preflight.text()
