"""A training whose code is known: a window of a built trace with what the hook recorded beside it.

In each step `train.py` moves a batch from pageable memory (line 12), branches on the loss in one of
two lines (15 or 17), and reads it (19); `metrics.py` brings predictions to the host (5).
"""

from __future__ import annotations

import dataclasses

from scenes import read_scalar
from trace_builder import TraceBuilder

from tbprof.model import Audit, HookFacts, RecordedCall, Report, SourceText
from tbprof.report import report_of

TRAIN = """\
def train(model, loader, device):
    loader = DataLoader(
        StreetScenes("data/train"),
        batch_size=16,
        num_workers=4,
    )
    confusion = Confusion(7)
    running = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        # 16 MB of pixels
        inputs = images.to(device)
        logits = model(inputs)
        loss = criterion(logits, labels)
        if torch.isnan(loss):
            raise RuntimeError("the loss is NaN")
        if loss > 100:
            raise RuntimeError(f"the loss is {loss}")
        running += loss.item()
        loss.backward()
        optimizer.step()
        confusion.update(logits.argmax(1), labels)
    return running
"""
METRICS = '''\
    def update(self, predicted, labels):
        """Counts pairs of a prediction and its label."""
        predicted = predicted.cpu()
        return self.total + predicted
'''
_READ = ("aten::item", "aten::_local_scalar_dense")
_MOVE = ("aten::to", "aten::_to_copy", "aten::copy_")


def known_training(train: str = "train.py", metrics: str = "lib/metrics.py", steps: int = 4) -> Report:
    """The report of the window; the files can have other names."""
    built = TraceBuilder()
    for number in range(steps):
        _step(built, number, 1000 * number)
    sources = (SourceText(train, 1, TRAIN), SourceText(metrics, 3, METRICS))
    facts = _facts(Audit("", _calls(train, metrics), (0, 1, 2, 3, 4), 0, sources), steps)
    return report_of(dataclasses.replace(built.trace(), facts=facts))


def _step(built: TraceBuilder, number: int, begin: int) -> None:
    built.step(number, begin, begin + 1000)
    for name in _MOVE:
        built.op(name, begin + 20, begin + 144)
    upload = (begin + 25, begin + 140)
    built.copy("HtoD", "pageable", begin + 20, begin + 140, runs=upload, size_bytes=16_000_000)
    built.synchronize("cudaStreamSynchronize", begin + 141, begin + 143)
    for start, runs in ((200, (205, 400)), (460, (465, 560)), (640, (645, 720)), (800, (805, 900))):
        built.launch(begin + start, begin + start + 4, runs=tuple(begin + at for at in runs))
    read_scalar(built, begin + 300, wait=102, ops=("aten::is_nonzero", *_READ))
    read_scalar(built, begin + 500, wait=62, ops=_READ)
    for name in _MOVE:
        built.op(name, begin + 660, begin + 732)
    download = (begin + 722, begin + 728)
    built.copy("DtoH", "pageable", begin + 660, begin + 728, runs=download, size_bytes=64_000)
    built.synchronize("cudaStreamSynchronize", begin + 729, begin + 731)


def _calls(train: str, metrics: str) -> tuple[RecordedCall, ...]:
    def call(line: int, name: str, devices: tuple[str, ...], pinned: bool | None = None) -> RecordedCall:
        moves = None if pinned is None else False
        return RecordedCall(train, line, "train", name, 1, devices, pinned, moves)

    update = RecordedCall(metrics, 5, "update", "cpu", 1, ("cuda:0", "cpu"), False, False)
    return (
        call(12, "to", ("cpu", "cuda:0"), pinned=False),
        call(15, "__bool__", ("cuda:0",)),
        call(17, "__bool__", ("cuda:0",)),
        call(19, "item", ("cuda:0",)),
        update,
    )


def _facts(audit: Audit, steps: int) -> HookFacts:
    return HookFacts(
        schema=1,
        tbprof_version="0.1.0",
        torch_version="2.9.0",
        cuda_version="12.8",
        driver_version="570.1",
        device_names=("NVIDIA A100-SXM4-80GB",),
        worker="w",
        rank=None,
        world_size=None,
        window=0,
        first_step=1120,
        recorded_steps=steps,
        options={},
        unprofiled_step_ns=960_000,
        profiled_step_ns=1_000_000,
        audit=audit,
        git_commit="4f1c2a9",
    )
