"""Write the simulated sample again: `python tests/data/simulate_sample.py`.

A training of an image classifier whose lines, waits and saving are known, until a GPU has recorded one. The
host and the GPU are played: each kernel starts when it is launched and the one before it is over, and the
host goes on when what it waits for is done. Its run, its worker and its device say that it is simulated.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))

from trace_builder import TraceBuilder

from tbprof.model import Audit, HookFacts, RecordedCall, SourceText

ROOT = pathlib.Path(__file__).parents[2]
SAMPLE = ROOT / "logs" / "samples" / "a_simulated_training" / "simulated_1.1790000000000000000.trace.json.gz"
DEVICE = "Simulated GPU"
STEPS = 5

PROGRAM = """\
def train(model, loader, optimizer, device):
    running = 0.0
    for images, labels in loader:
        images = images.to(device)
        labels = labels.to(device)
        loss = criterion(model(images), labels)
        if torch.isnan(loss):
            raise RuntimeError("the loss is NaN")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.item()
        scores.update(model.last_logits)
    return running
"""
SCORES = """\
class Scores:
    def update(self, logits):
        predicted = logits.argmax(1)
        self.counts += np.bincount(predicted.cpu().numpy(), minlength=1000)
"""
READ = ("aten::item", "aten::_local_scalar_dense")
MOVE = ("aten::to", "aten::_to_copy", "aten::copy_")
LAUNCH_US = 6.0


class Player:
    """What the host and the GPU do, one thing after another; times in us."""

    def __init__(self) -> None:
        self.built = TraceBuilder()
        self.host_us = 0.0
        self._gpu_us = 0.0

    def host(self, spent_us: float) -> None:
        """Work of the host alone."""
        self.host_us += spent_us

    def kernels(self, op: str, count: int, each_us: float, per_launch_us: float = 30.0) -> None:
        """`count` ops of one kernel each."""
        for number in range(count):
            begin = self.host_us
            launched = begin + per_launch_us - LAUNCH_US - 2
            runs = max(launched + LAUNCH_US, self._gpu_us + 1)
            self._gpu_us = runs + each_us
            self.built.op(op, begin, begin + per_launch_us)
            self.built.launch(
                launched,
                launched + LAUNCH_US,
                runs=(runs, self._gpu_us),
                name=f"{op[6:]}_kernel_{number % 4}",
            )
            self.host_us = begin + per_launch_us + 2

    def copy(self, direction: str, size_bytes: int, ops: tuple[str, ...]) -> None:
        """A copy of pageable memory, which the host waits for, at 12 GB/s."""
        begin, spent_us = self.host_us, max(size_bytes / 12_000, 2.0)
        called = begin + 8
        runs = max(called + 4, self._gpu_us + 1)
        self._gpu_us = runs + spent_us
        done = self._gpu_us + 4
        for name in ops:
            self.built.op(name, begin, done + 8)
        self.built.copy(direction, "pageable", called, done, runs=(runs, self._gpu_us), size_bytes=size_bytes)
        self.built.synchronize("cudaStreamSynchronize", done + 1, done + 4, awaited=7)
        self.host_us = done + 10


def play(player: Player, number: int) -> None:
    """One step: loader, upload, forward, a test of the loss, backward, the loss, the scores."""
    begin = player.host_us
    player.built.annotation(
        "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", begin + 20, begin + 320
    )
    player.host(340)
    player.copy("HtoD", 38_535_168, MOVE)
    player.copy("HtoD", 512, MOVE)
    player.kernels("aten::conv2d", 120, 280)
    player.kernels("aten::cross_entropy_loss", 3, 12)
    player.copy("DtoH", 1, ("aten::is_nonzero", *READ))
    player.host(150)
    player.kernels("aten::convolution_backward", 160, 330)
    player.kernels("aten::_foreach_add_", 12, 160)
    player.copy("DtoH", 4, READ)
    player.host(200)
    player.kernels("aten::argmax", 1, 20)
    player.copy("DtoH", 1024, MOVE)
    # NumPy counts the classes.
    player.host(9_500)
    player.host_us += 40
    player.built.step(1120 + number, begin, player.host_us)
    player.host_us += 15


def facts(step_ns: int) -> HookFacts:
    def call(line: int, name: str, devices: tuple[str, ...], pinned: bool | None = None) -> RecordedCall:
        moves = None if pinned is None else False
        return RecordedCall("train.py", line, "train", name, 1, devices, pinned, moves)

    update = RecordedCall("scores.py", 4, "Scores.update", "cpu", 1, ("cuda:0", "cpu"), False, False)
    calls = (
        call(4, "to", ("cpu", "cuda:0"), pinned=False),
        call(5, "to", ("cpu", "cuda:0"), pinned=False),
        call(7, "__bool__", ("cuda:0",)),
        call(12, "item", ("cuda:0",)),
        update,
    )
    sources = (SourceText("train.py", 1, PROGRAM), SourceText("scores.py", 1, SCORES))
    return HookFacts(
        schema=1,
        tbprof_version="0.1.0",
        torch_version="simulated",
        cuda_version=None,
        driver_version=None,
        device_names=(DEVICE,),
        worker="simulated_1",
        rank=None,
        world_size=None,
        window=0,
        first_step=1120,
        recorded_steps=STEPS,
        options={},
        unprofiled_step_ns=step_ns,
        profiled_step_ns=step_ns,
        audit=Audit("", calls, (0, 1, 2, 3, 4), 0, sources),
    )


def write(path: pathlib.Path) -> None:
    player = Player()
    for number in range(STEPS):
        play(player, number)
    trace = player.built.to_json()
    for device in trace["deviceProperties"]:
        device["name"] = DEVICE
    told = dataclasses.asdict(facts(int(player.host_us / STEPS * 1000)))
    path.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"tbprof": told, **trace}, separators=(",", ":")).encode()
    path.write_bytes(gzip.compress(content, 9, mtime=0))


if __name__ == "__main__":
    write(SAMPLE)
