"""INF01 on what torch.profiler records of small programs that predict, in training mode and not."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest

from tbprof.report import build_report

torch = pytest.importorskip("torch")
nn = torch.nn


def perceptron() -> nn.Module:
    return nn.Sequential(
        nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 256), nn.Dropout(0.3)
    )


def convolutional() -> nn.Module:
    return nn.Sequential(
        *(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.Dropout2d(0.2), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    )


def normalized() -> nn.Module:
    """No dropout, and batch norms alone."""
    return nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.Conv2d(16, 16, 3), nn.BatchNorm2d(16))


def transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0.1)
    return nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)


def recurrent() -> nn.Module:
    return nn.LSTM(32, 32, 2, dropout=0.2, batch_first=True)


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "perceptron": (perceptron, (128, 256)),
    "convolutional": (convolutional, (4, 3, 32, 32)),
    "normalized": (normalized, (4, 3, 32, 32)),
    "transformer": (transformer, (8, 32, 64)),
    "recurrent": (recurrent, (8, 16, 32)),
}


def state_of(step: Callable[[], object], folder: pathlib.Path) -> tuple[str, int]:
    """The state of the check, and how many dropouts it found."""
    step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiled:
        for _ in range(3):
            step()
    path = folder / "host_1.1000.pt.trace.json"
    profiled.export_chrome_trace(str(path))
    report = build_report(path)
    (check,) = (check for check in report.checks if check.rule == "INF01")
    return check.state, sum(found.count for found in report.findings if found.rule == "INF01")


def predicting(name: str, *, trains: bool) -> Callable[[], object]:
    made, shape = MODELS[name]
    model, batch = made().train(trains), torch.randn(shape)

    def step() -> object:
        with torch.no_grad():
            return model(batch)

    return step


DROPOUTS = {"perceptron": 2, "convolutional": 1, "normalized": 2, "transformer": 4, "recurrent": 1}
"""Calls in one prediction, else batch norms; an encoder's layer drops in its attention, too."""


@pytest.mark.parametrize("name", MODELS)
def test_a_model_in_training_mode_that_only_predicts_drops(name: str, tmp_path: pathlib.Path) -> None:
    assert state_of(predicting(name, trains=True), tmp_path) == ("failed", 3 * DROPOUTS[name])


@pytest.mark.parametrize("name", MODELS)
def test_a_model_in_evaluation_mode_does_not(name: str, tmp_path: pathlib.Path) -> None:
    state, count = state_of(predicting(name, trains=False), tmp_path)
    assert state != "failed"
    assert count == 0


@pytest.mark.parametrize("name", ["perceptron", "convolutional", "normalized"])
def test_a_training_drops_as_it_should(name: str, tmp_path: pathlib.Path) -> None:
    made, shape = MODELS[name]
    model, batch = made(), torch.randn(shape)
    optimizer = torch.optim.SGD(model.parameters(), 0.01)

    def step() -> None:
        optimizer.zero_grad()
        model(batch).sum().backward()
        optimizer.step()

    assert state_of(step, tmp_path) == ("not_applicable", 0)


def test_noise_that_the_program_wants_is_no_dropout(tmp_path: pathlib.Path) -> None:
    model, batch = perceptron().eval(), torch.randn(128, 256)

    def step() -> object:
        with torch.no_grad():
            return model(batch * torch.empty_like(batch).bernoulli_(0.9))

    assert state_of(step, tmp_path)[1] == 0


def test_a_sum_in_place_before_some_batch_norms_counts_no_batch(tmp_path: pathlib.Path) -> None:
    """A block whose input is a sum, and whose second norm follows a product."""
    outer, inner, product = nn.BatchNorm2d(8).eval(), nn.BatchNorm2d(8).eval(), nn.Conv2d(8, 8, 3, padding=1)
    batch = torch.randn(4, 8, 16, 16)

    def step() -> object:
        with torch.no_grad():
            summed = product(batch)
            summed += batch
            return inner(product(outer(summed)))

    assert state_of(step, tmp_path)[1] == 0
