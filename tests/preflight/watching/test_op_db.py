"""Torch's own list of ops: each runs on tensors of the device, and keeps its results there."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="torch.testing's list of ops needs it: it is in the extra `test`")

from torch.utils._pytree import tree_leaves, tree_map  # noqa: E402

from tbprof.optable import OPS  # noqa: E402
from tbprof.preflight.device_marks import device_place, is_on_device, mark  # noqa: E402
from tbprof.preflight.session import Preflight  # noqa: E402
from tbprof.preflight.watching.recording import RECORDERS, Recorder, muted  # noqa: E402

SAMPLES = 3
EACH = 15
"""Of the sample that always runs: every 15th op."""

LOSES_ITS_PLACE = {
    "linalg.matrix_rank": "counts into a tensor that it makes before it looks at the input",
}

READS = {row.op.partition("::")[2] for row in OPS}
OWN_READS = {"__bool__", "__index__", "item", "tensor", "__getitem__", "__setitem__"}
"""What ops that are written in Python call by themselves."""


def op_db() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db as every_op
    return list(every_op)


def samples(op: Any) -> Iterator[Any]:
    """The first samples that the op computes on the CPU, unwatched."""
    dtype = next((dtype for dtype in (torch.float32, torch.int64) if dtype in op.dtypes), None)
    if dtype is None:
        return
    try:
        made = [sample for _, sample in zip(range(SAMPLES), op.sample_inputs("cpu", dtype), strict=False)]
    except Exception:  # noqa: BLE001 - samples of some ops need packages of their own
        return
    for sample in made:
        try:
            op.op(sample.input, *sample.args, **sample.kwargs)
        except Exception:  # noqa: BLE001 - not for this build
            continue
        yield sample


def on_device(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        mark(value, device_place(0))
        return value
    return "cuda" if str(value) == "cpu" else value


def faults(ops: list[Any]) -> tuple[list[str], set[str], list[str], set[str]]:
    """Over the samples of some ops: crashes, lost places, mismatches, and calls that were noted."""
    crashed, mismatched = [], []
    lost: set[str] = set()
    noted: set[str] = set()
    runs = [(op, sample) for op in ops for sample in samples(op)]
    with Preflight(steps=None):
        heard = RECORDERS[:]
        for op, sample in runs:
            RECORDERS[:] = [recorder := Recorder()]
            with muted():
                given = tree_map(on_device, (sample.input, sample.args, sample.kwargs))
            try:
                result = op.op(given[0], *given[1], **given[2])
            except Exception as error:  # noqa: BLE001 - counted
                crashed.append(f"{op.name}: {error!r}")
                continue
            tensors = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
            lost |= {op.name for tensor in tensors if not is_on_device(tensor)}
            events = [tally.event for tally in recorder.tallies.values()]
            mismatched += [op.name for event in events if event.kind == "device_mismatch"]
            noted |= {event.call for event in events}
        RECORDERS[:] = heard
    return crashed, lost, mismatched, noted


def check(ops: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        crashed, lost, mismatched, noted = faults(ops)
    assert crashed == []
    assert lost <= LOSES_ITS_PLACE.keys()
    assert mismatched == []
    assert noted <= READS | OWN_READS


@pytest.mark.slow
def test_a_sample_of_torchs_ops_runs_and_keeps_its_place() -> None:
    check(op_db()[::EACH])


@pytest.mark.exhaustive
def test_all_of_torchs_ops_run_and_keep_their_place() -> None:
    check(op_db())
