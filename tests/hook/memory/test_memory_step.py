"""A step in which every storage is followed: what held memory, and a training that does not notice."""

from __future__ import annotations

import contextlib
import copy
import gc
import json
import os
import re
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from tbprof.cli.main import main
from tbprof.errors import UsageError
from tbprof.hook.memory.blocks import Log
from tbprof.hook.memory.memory_step import MemoryRecorder, write_memory_step
from tbprof.model import MEMORY_KINDS, MemoryStep
from tbprof.preflight.device_marks import device_place, mark
from tbprof.preflight.fits.following import Follower
from tbprof.store.memory_files import MEMORY_STEP_FILE

Model = tuple[nn.Module, Callable[[], Tensor], Callable[[Any], torch.optim.Optimizer]]


def perceptron() -> Model:
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Dropout(0.1), nn.Linear(128, 10))
    return model, lambda: torch.randn(256, 64), torch.optim.AdamW


def convolutions() -> Model:
    layers = [nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()]
    model = nn.Sequential(*layers, nn.Linear(16 * 15 * 15, 10))
    return model, lambda: torch.randn(16, 3, 32, 32), lambda of: torch.optim.SGD(of, 0.1, momentum=0.9)


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second, self.norm = nn.Linear(64, 64), nn.Linear(64, 64), nn.LayerNorm(64)

    def forward(self, given: Tensor) -> Tensor:
        return self.norm(given + self.second(self.first(given).relu()))


def residual() -> Model:
    model = nn.Sequential(Residual(), Residual(), Residual(), nn.Linear(64, 10))
    return model, lambda: torch.randn(512, 64), torch.optim.Adam


def transformer() -> Model:
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 2), nn.Flatten(), nn.Linear(32 * 16, 10))
    return model, lambda: torch.randn(32, 16, 32), torch.optim.AdamW


class Recurrent(nn.Module):
    def __init__(self, kind: Callable[..., nn.Module]) -> None:
        super().__init__()
        self.cells, self.head = kind(32, 64, batch_first=True), nn.Linear(64, 10)

    def forward(self, given: Tensor) -> Tensor:
        return self.head(self.cells(given)[0][:, -1])


def gru() -> Model:
    return Recurrent(nn.GRU), lambda: torch.randn(64, 20, 32), torch.optim.RMSprop


def rnn() -> Model:
    return Recurrent(nn.RNN), lambda: torch.randn(64, 20, 32), torch.optim.Adagrad


class Embedded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(1000, 32), nn.Linear(32, 10)
        # One storage, two names.
        self.again = self.table

    def forward(self, given: Tensor) -> Tensor:
        return self.head((self.table(given) * self.again(given)).tanh().mean(1))


def embedded() -> Model:
    return Embedded(), lambda: torch.randint(0, 1000, (128, 20)), torch.optim.AdamW


class Gated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.head = nn.Linear(64, 256), nn.Linear(128, 10)

    def forward(self, given: Tensor) -> Tensor:
        left, right = self.up(given).chunk(2, dim=-1)
        return self.head(left * right.sigmoid())


def gated() -> Model:
    return Gated(), lambda: torch.randn(256, 64), torch.optim.NAdam


def depthwise() -> Model:
    layers = [nn.Conv1d(8, 32, 3), nn.GroupNorm(4, 32), nn.SiLU(), nn.Conv1d(32, 32, 3, groups=32)]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(32, 10))
    return model, lambda: torch.randn(32, 8, 128), torch.optim.Adamax


def mixed() -> Model:
    class Mixed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))

        def forward(self, given: Tensor) -> Tensor:
            with torch.autocast("cpu", torch.bfloat16):
                found: Tensor = self.inner(given)
            return found.float()

    return Mixed(), lambda: torch.randn(512, 64), torch.optim.AdamW


MODELS = (
    *(perceptron, convolutions, residual, transformer, gru),
    *(rnn, embedded, gated, depthwise, mixed),
)


def bytes_of(tensors: Any) -> int:
    """Of their storages, each once."""
    return sum({one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in tensors}.values())


class Saved:
    """What autograd saves in a step, by torch's own count, without parameters and inputs."""

    def __init__(self, *known: Tensor) -> None:
        self.found: dict[int, int] = {}
        self._known = {one.untyped_storage().data_ptr() for one in known}
        self._kept: list[Tensor] = []

    def pack(self, saved: Tensor) -> Tensor:
        storage = saved.untyped_storage()
        if storage.data_ptr() not in self._known:
            self.found[storage.data_ptr()] = storage.nbytes()
        return saved


@dataclass
class Followed:
    """Of a model: the step, and what is to be in it."""

    step: MemoryStep
    saved_bytes: int
    known_bytes: tuple[int, ...]
    """Parameters, gradients and state, with those of modules that other tests have left."""


def left_by_others() -> tuple[int, ...]:
    gc.collect()
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    found = recorder.after_step("host_1")
    return (0, 0, 0) if found is None else known_at_the_end(found)


def known_at_the_end(found: MemoryStep) -> tuple[int, ...]:
    return tuple(int(size) for size in found.curve[-1][1:4])


def followed(make: Callable[[], Model]) -> Followed:
    others = left_by_others()
    torch.manual_seed(0)
    model, batch, optimizer_of = make()
    optimizer = optimizer_of(model.parameters())
    recorder, saved = MemoryRecorder(is_wanted=True), Saved()
    for number in range(3):
        if number == 2:
            recorder.begin(number)
        given = batch()
        wanted = torch.randint(0, 10, (len(given),))
        optimizer.zero_grad()
        saved = Saved(given, wanted, *model.parameters(), *model.buffers())
        with torch.autograd.graph.saved_tensors_hooks(saved.pack, lambda one: one):
            loss = nn.functional.cross_entropy(model(given), wanted)
        loss.backward()
        optimizer.step()
    step = recorder.after_step("host_1")
    assert step is not None
    assert step.is_whole
    parameters = list(model.parameters())
    states = [value for state in optimizer.state.values() for value in state.values()]
    sizes = (
        bytes_of([*parameters, *model.buffers()]),
        bytes_of(one.grad for one in parameters),
        bytes_of(value for value in states if isinstance(value, Tensor)),
    )
    known = tuple(other + size for other, size in zip(others, sizes, strict=True))
    return Followed(step, sum(saved.found.values()), known)


def highest(found: MemoryStep, kind: str) -> int:
    return int(max(point[1 + MEMORY_KINDS.index(kind)] for point in found.curve))


def check(make: Callable[[], Model]) -> None:
    """Known storages to the byte, activations within 2 % of what autograd says that it saves."""
    found = followed(make)
    assert known_at_the_end(found.step) == found.known_bytes
    assert highest(found.step, "activations") == pytest.approx(found.saved_bytes, rel=0.02)
    assert sum(size for _, size in found.step.kinds) == found.step.peak_bytes


@pytest.mark.exhaustive
def test_a_perceptron_to_the_byte() -> None:
    check(perceptron)


@pytest.mark.exhaustive
@pytest.mark.parametrize("make", MODELS[1:])
def test_nine_others_to_the_byte(make: Callable[[], Model]) -> None:
    check(make)


TRAINING = """
import sys, torch
from torch import nn
from tbprof import Schedule, TrainerHook

def losses(logdir, memory):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Dropout(0.1), nn.Linear(128, 10))
    optimizer = torch.optim.AdamW(model.parameters())
    with TrainerHook(logdir, schedule=Schedule(skip_first=0, warmup=1, active=1), memory=memory) as hook:
        for _ in range(6):
            loss = model(torch.randn(256, 64)).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            yield loss.item()
            hook.step()

assert list(losses(sys.argv[1] + "/on", True)) == list(losses(sys.argv[1] + "/off", False))
"""


def test_a_training_leaves_the_file_and_does_not_notice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a process of its own: what others hold is followed as well."""
    program = tmp_path / "train.py"
    program.write_text(TRAINING, encoding="utf-8")
    subprocess.run(
        [sys.executable, str(program), str(tmp_path)],
        check=True,
        env={**os.environ, "TBPROF_SPOOL": str(tmp_path / "spool")},
    )
    assert not list((tmp_path / "off").glob("*.memory_step.json"))
    (left,) = (tmp_path / "on").glob("*.memory_step.json")
    assert main(["report", str(left)]) == 0
    text = capsys.readouterr().out
    assert "by kind" in text
    assert "optimizer state" in text
    assert "Sequential.0" in text
    assert f"{program}(" in text
    assert main(["report", "--format", "json", str(left)]) == 0
    assert json.loads(capsys.readouterr().out)["memory_step"]["device"] == "CPU"


@pytest.mark.exhaustive
def test_what_autograd_keeps_of_a_result_that_python_holds_is_an_activation() -> None:
    weight, recorder = torch.ones(100, requires_grad=True), MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    made = (weight * 2).exp()
    kept = weight * 3
    made.sum().backward()
    found = recorder.after_step("host_1")
    assert found is not None
    assert highest(found, "activations") == 400 + 2 * 4, "the loss and its gradient"
    assert found.curve[-1][-1] >= kept.nbytes


@pytest.mark.exhaustive
def test_what_was_there_before_is_there_from_the_first_moment_on() -> None:
    there, recorder = [torch.ones(1000) for _ in range(20)], MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    torch.ones(7)
    found = recorder.after_step("host_1")
    assert found is not None
    at_the_start = max(sum(point[1:]) for point in found.curve if point[0] == 0)
    assert at_the_start >= sum(one.nbytes for one in there)


@pytest.mark.exhaustive
def test_nothing_that_was_followed_is_kept_by_what_is_still_alive() -> None:
    kept = nn.Linear(2, 2)
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    kept(torch.ones(1, 2))
    assert recorder.after_step("worker") is not None
    gc.collect()
    assert not [log for log in gc.get_objects() if type(log) is Log and log.blocks]


class Scaled(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(1) * 2


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_a_graph_is_made_and_first_run_in_a_followed_step_as_in_any() -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), Scaled()).eval()
    given = torch.ones(2, 1, 8, 8)
    alone = torch.jit.trace(model, given)
    unused = torch.jit.trace(Scaled(), given, check_trace=False)
    torch_s = torch._C._create_function_from_trace
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    try:
        traced = torch.jit.trace(model, given)
        assert torch.equal(unused(given), given.flatten(1) * 2)
        assert torch.equal(torch.jit.trace(lambda x: x.view(-1) * 2, given)(given), given.view(-1) * 2)
        model(given).sum().backward()
    finally:
        found = recorder.after_step("worker")
    assert found is not None
    assert found.is_whole
    assert found.peak_bytes > 0
    assert re.sub(MANGLED, "", str(traced.inlined_graph)) == re.sub(MANGLED, "", str(alone.inlined_graph))
    assert torch._C._create_function_from_trace is torch_s


MANGLED = r"\.___torch_mangle_\d+| #.*"


def test_an_exception_of_the_program_passes_and_is_nobody_elses() -> None:
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.ones(2, 3) @ torch.ones(2, 3)
    recorder.abandon()
    assert not recorder.is_recording
    assert (torch.ones(2) + 1).tolist() == [2, 2]


class Own(TorchDispatchMode):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(f"{func} {[one for one in args if type(one) is not Tensor]} {kwargs}")
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("is_outside", [True, False])
def test_a_mode_of_the_program_sees_what_it_sees_alone(*, is_outside: bool) -> None:
    def step() -> None:
        weight = torch.ones(2, 2, requires_grad=True)
        (weight * 2 + torch.where(weight > 0, weight, 3)).prod().backward()

    with (alone := Own()):
        step()
    recorder, mode = MemoryRecorder(is_wanted=True), Own()
    with mode if is_outside else contextlib.nullcontext():
        recorder.begin(0)
        assert recorder.is_recording
        with contextlib.nullcontext() if is_outside else mode:
            step()
        found = recorder.after_step("worker")
    assert mode.seen == alone.seen
    assert found is not None
    assert found.is_whole


class Mine(Tensor):
    """A class that adds nothing."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mine([1.0, 2.0]),
        lambda: Mine(2, 3),
        lambda: Mine(torch.ones(2)),
        lambda: Mine(torch.ones(2).untyped_storage()),
        lambda: torch.ones(2).as_subclass(Mine) + 1,
        lambda: nn.Parameter(torch.ones(2)),
        lambda: nn.LazyLinear(2)(torch.ones(2, 2)),
        lambda: copy.deepcopy(nn.Linear(2, 2)),
        lambda: torch.nested.nested_tensor([torch.ones(2, 3)], layout=torch.jagged) * 2,
        lambda: torch.utils.swap_tensors(torch.ones(2), torch.zeros(2)),
    ],
)
def test_tensors_of_every_class_are_made_in_a_followed_step(make: Callable[[], object]) -> None:
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    try:
        make()
    finally:
        found = recorder.after_step("worker")
    assert found is not None
    assert "__new__" not in vars(Tensor)


def test_a_storage_shows_nothing_of_it() -> None:
    weight, recorder = nn.Linear(2, 2), MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    result = weight(torch.ones(1, 2))
    held = [vars(one.untyped_storage()) for one in (result, *weight.parameters())]
    assert recorder.after_step("worker") is not None
    assert held == [{}] * 3
    assert not any(weakref.getweakrefcount(one.untyped_storage()) for one in (result, *weight.parameters()))


@pytest.mark.parametrize(
    "change", [{"schema": 2}, {"kinds": [["parameters", 1]]}, {"curve": [[1.0]]}, {"cached_curve": [1] * 501}]
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    kept = torch.ones(3)
    found = recorder.after_step("host_1")
    assert found is not None
    assert kept.nbytes <= found.peak_bytes
    assert (found.cached_curve, found.cached_at_peak_bytes) == (None, None), "the host keeps no cache"
    path = write_memory_step(found, tmp_path, "host_1.5", kept=1)
    assert MEMORY_STEP_FILE.read(path) == found
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UsageError):
        MEMORY_STEP_FILE.read(path)


def test_storages_that_a_fit_followed_are_followed_by_the_hook_too() -> None:
    kept = torch.ones(3)
    with Follower().following():
        mark(kept, device_place(0))
    recorder = MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    both = kept + 1
    found = recorder.after_step("host_1")
    assert found is not None
    assert kept.nbytes + both.nbytes <= found.peak_bytes


@pytest.mark.exhaustive
def test_a_sparse_gradient_and_a_batch_that_was_fetched_early() -> None:
    table, head = nn.Embedding(1000, 16, sparse=True), nn.Linear(16, 10)
    batches = [torch.randint(0, 1000, (32,)) for _ in range(3)]
    others, recorder = left_by_others(), MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    head(table(batches[0])).sum().backward()
    found = recorder.after_step("host_1")
    assert found is not None
    assert table.weight.grad is not None
    # Autograd takes the batch itself for the indices.
    sparse = bytes_of([table.weight.grad._values()])
    assert known_at_the_end(found)[1] - others[1] == sparse + bytes_of(one.grad for one in head.parameters())
    assert highest(found, "inputs") == batches[0].nbytes


def test_each_batch_of_a_step_is_an_input() -> None:
    model, recorder = nn.Linear(1000, 2), MemoryRecorder(is_wanted=True)
    recorder.begin(0)
    for _ in range(3):
        batch = torch.randn(500, 1000)
        model(batch).sum().backward()
    found = recorder.after_step("host_1")
    assert found is not None
    assert highest(found, "inputs") == 2 * batch.nbytes, "the next one is made while the last one is there"
    assert highest(found, "activations") < batch.nbytes / 100
