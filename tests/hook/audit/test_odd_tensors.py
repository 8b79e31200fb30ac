"""Tensors of every kind in an audit step: each costs at most its own call, and is read as no bytes."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tbprof.hook.audit.audit import AuditStep
from tbprof.hook.audit.line_recorder import LineRecorder
from tbprof.hook.audit.upload_contents import content_of
from tbprof.hook.safety.guard import MissingFacts


class Wrapper(torch.Tensor):
    """A tensor around another one, without memory of its own."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Wrapper:
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        given = [value.inner if isinstance(value, Wrapper) else value for value in args]
        result = func(*given, **(kwargs or {}))
        return Wrapper(result) if isinstance(result, torch.Tensor) else result


def fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.empty(8)


def masked() -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.masked.masked_tensor(torch.rand(2), torch.tensor([True, False]))


def csr() -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.eye(3).to_sparse_csr()


def jagged() -> torch.Tensor:
    return torch.nested.nested_tensor([torch.rand(2), torch.rand(3)], layout=torch.jagged)


def nested() -> torch.Tensor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.nested.nested_tensor([torch.rand(2), torch.rand(3)])


ODD: dict[str, Callable[[], torch.Tensor]] = {
    "sparse": lambda: torch.eye(3).to_sparse(),
    "csr": csr,
    "mkldnn": lambda: torch.rand(4, 4).to_mkldnn(),
    "masked": masked,
    "fake": fake,
    "jagged": jagged,
    "nested": nested,
    "wrapper": lambda: Wrapper(torch.rand(4)),
    "uninitialized": torch.nn.UninitializedParameter,
    "functional": lambda: torch._to_functional_tensor(torch.rand(4)),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_has_no_plain_memory_has_no_content(kind: str) -> None:
    tensor = ODD[kind]()
    with torch._C.DisableTorchFunction():
        # A nested tensor is a plain one with memory of its own.
        assert (content_of(tensor) is None) == (kind != "nested")


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_tensor_costs_no_other_call(kind: str) -> None:
    tensor, number = ODD[kind](), torch.tensor(1.5)
    step = AuditStep(embed_source=False)
    step.start()
    try:
        number.item()
        # What torch itself refuses, it refuses without us.
        with contextlib.suppress(RuntimeError, NotImplementedError, TypeError, UserWarning):
            tensor.to("meta")
        float(number)
    finally:
        audit = step.finish().audit
    assert [call.call for call in audit.calls if call.call != "to"] == ["item", "__float__"]


@pytest.mark.parametrize("transform", [torch.func.vmap, torch.func.grad])
def test_within_a_transform_of_torch_func_it_is_recorded_and_not_read(transform: Callable) -> None:
    def program(values: torch.Tensor) -> torch.Tensor:
        return values.to("cpu").sum()

    step = AuditStep(embed_source=False)
    step.start()
    transform(program)(torch.rand(4) if transform is torch.func.grad else torch.rand(3, 4))
    audited = step.finish()
    assert [call.call for call in audited.audit.calls] == ["to"]
    assert audited.missing == ()


def test_a_function_whose_name_is_no_string_goes_on_unchanged() -> None:
    class Add:
        def __init__(self) -> None:
            self.__name__ = ["add"]

        def __call__(self, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
            return left + right

    recorder = LineRecorder(MissingFacts())
    recorder.begin()
    try:
        total = torch.overrides.handle_torch_function(Add(), (), torch.ones(2), torch.ones(2))
    finally:
        recorder.end()
    assert total.tolist() == [2.0, 2.0]
