"""Arguments of a program that remember whether it looked at them."""

from __future__ import annotations

from typing import Any

_ITSELF = (0, slice(None, 1))


class ReadArguments(list[str]):
    """As `sys.argv`. The first, which is no argument, is read by Python itself."""

    was_read = False

    def __getitem__(self, at: Any) -> Any:
        self.was_read = self.was_read or at not in _ITSELF
        return super().__getitem__(at)

    def __iter__(self) -> Any:
        self.was_read = True
        return super().__iter__()

    def __contains__(self, one: object) -> bool:
        self.was_read = True
        return super().__contains__(one)

    def __add__(self, others: Any) -> Any:
        self.was_read = True
        return super().__add__(others)

    def copy(self) -> list[str]:
        self.was_read = True
        return super().copy()

    def pop(self, *at: Any) -> str:
        self.was_read = True
        return super().pop(*at)

    def index(self, *one: Any) -> int:
        self.was_read = True
        return super().index(*one)
