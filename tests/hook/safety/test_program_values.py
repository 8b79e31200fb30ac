"""The program's values are looked at without running its code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from tbprof.hook.safety.program_values import device_of, is_a, is_tensor, items_of, needs_gradient


class Proxy:
    """Says that it is a tensor, and runs code to do so."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise AssertionError("code of the program has run")


class Drawing(list[int]):
    """Draws its items when it is gone through."""

    def __iter__(self) -> Iterator[int]:
        raise AssertionError("code of the program has run")


class Lookup(dict[str, int]):
    """Makes its values when they are asked for."""

    def values(self) -> Any:
        raise AssertionError("code of the program has run")


class Lazy(torch.Tensor):
    """Loads itself when it is asked where it is."""

    @property
    def device(self) -> Any:  # type: ignore[override]
        raise AssertionError("code of the program has run")


def test_a_proxy_is_not_asked_what_it_is() -> None:
    assert not is_tensor(Proxy())
    assert not is_a(Proxy(), list, tuple)


def test_containers_are_gone_through_by_python_s_own_means() -> None:
    assert list(items_of(Drawing([1, 2]))) == [1, 2]
    assert list(items_of(Lookup(one=1))) == [1]
    assert list(items_of((1, 2))) == [1, 2]
    assert list(items_of({1, 2})) == []


def test_a_tensor_is_asked_by_torch_s_own_means() -> None:
    tensor = torch.ones(2).as_subclass(Lazy)
    assert is_tensor(tensor)
    assert device_of(tensor) == torch.device("cpu")
    assert not needs_gradient(tensor)
