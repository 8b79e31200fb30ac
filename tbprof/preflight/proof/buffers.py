"""Pinned memory under copies that do not block, as it would be on a device.

What a copy brings is there once the host has waited for it, and not before: whoever reads earlier, through
NumPy for one, finds what was there. What a copy takes away may not change until then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from tbprof.preflight.device_marks import place_of
from tbprof.preflight.proof.state import digest_of, unseen

_MOST_BYTES = 1 << 26
"""A larger source is not looked at."""


class PinnedBuffers:
    """A witness of `tbprof.preflight.watching.copies`."""

    def __init__(self, note: Callable[[str, str], None]) -> None:
        self._note = note
        self._late: list[tuple[Tensor, Tensor]] = []
        self._sources: dict[int, tuple[Tensor, str]] = {}

    def began(self, source: Tensor) -> None:
        if source.nbytes <= _MOST_BYTES:
            with unseen():
                self._sources[source.data_ptr()] = source.detach(), digest_of(source)

    def wrote(self, op: str) -> None:
        self._sources.clear()
        self._note(
            "rewritten", f"writes to pinned memory ({op}) whose copy to the device nothing has waited for"
        )

    def ended(self) -> None:
        self.check_sources()
        self._sources.clear()
        late, self._late = self._late, []
        with unseen():
            for target, content in late:
                target.copy_(content)

    def check_sources(self) -> None:
        """Whether anything else than an operator wrote to what is being copied."""
        with unseen():
            changed = [at for at, (held, digest) in self._sources.items() if digest_of(held) != digest]
        for at in changed:
            del self._sources[at]
            self._note("rewritten", "comes after a write to pinned memory whose copy nothing has waited for")

    def is_late(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
        """Whether `copy_` brings something from the device without waiting."""
        does_not_block = bool(args[2] if len(args) > 2 else options.get("non_blocking", False))
        place = place_of(args[0])
        return does_not_block and place is not None and place.is_pinned

    def copied_later(self, args: tuple[Any, ...]) -> Tensor:
        target: Tensor = args[0]
        with unseen():
            content = args[1].detach().clone().to(target.dtype).expand_as(target)
            self._late.append((target, content))
        return target
