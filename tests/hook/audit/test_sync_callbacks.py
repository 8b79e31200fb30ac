"""Torch's callbacks at waits, fired through torch's own registries: a machine without a GPU fires none."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch.cuda import _gpu_trace

from tbprof.hook.audit.audit import AuditStep

HERE = f"audit/{Path(__file__).name}"
"""Below the folder from which the tests of the hook import."""
REGISTRIES = (
    _gpu_trace.DeviceSynchronizationCallbacks,
    _gpu_trace.StreamSynchronizationCallbacks,
    _gpu_trace.EventSynchronizationCallbacks,
)


def test_each_kind_of_wait_is_recorded_with_its_line() -> None:
    step = AuditStep(embed_source=False, sync_callbacks=True)
    step.start()
    _gpu_trace.DeviceSynchronizationCallbacks.fire_callbacks()
    _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)
    _gpu_trace.EventSynchronizationCallbacks.fire_callbacks(4711)
    audit = step.finish().audit
    first = test_each_kind_of_wait_is_recorded_with_its_line.__code__.co_firstlineno
    assert [(call.file, call.line - first, call.call, call.devices) for call in audit.calls] == [
        (HERE, 3, "cuda.synchronize", ("cuda",)),
        (HERE, 4, "Stream.synchronize", ("cuda",)),
        (HERE, 5, "Event.synchronize", ("cuda",)),
    ]


class Number(torch.Tensor):
    """A tensor that waits for the device while one of torch's functions reads it, as on CUDA."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        _gpu_trace.StreamSynchronizationCallbacks.fire_callbacks(0)
        return super().__torch_function__(func, types, args, kwargs or {})


def test_the_wait_inside_of_a_call_is_that_call_s() -> None:
    number = torch.tensor(1.0).as_subclass(Number)
    step = AuditStep(embed_source=False, sync_callbacks=True)
    step.start()
    number.item()
    number.cos()
    audit = step.finish().audit
    assert [(call.call, call.count) for call in audit.calls] == [("item", 1), ("cos", 1)]


def test_nobody_is_called_after_the_step() -> None:
    step = AuditStep(embed_source=False, sync_callbacks=True)
    before = [list(registry.callback_list) for registry in REGISTRIES]
    step.start()
    step.finish()
    assert [registry.callback_list for registry in REGISTRIES] == before


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_torch_cuda_synchronize_is_seen() -> None:
    torch.ones(2, device="cuda")
    step = AuditStep(embed_source=False, sync_callbacks=True)
    step.start()
    torch.cuda.synchronize()
    (call,) = step.finish().audit.calls
    assert (call.file, call.call) == (HERE, "cuda.synchronize")
