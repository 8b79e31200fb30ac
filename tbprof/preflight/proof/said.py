"""The numbers that a program prints, and those that it gives to a tracker, by step; times are left out."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from torch import Tensor

from tbprof.preflight.patch import Patch
from tbprof.preflight.proof.record import SAVED, Said
from tbprof.preflight.proof.state import digest_of, number_of, unseen

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?!\w)|\b(?:nan|inf)\b")
_TENSOR = re.compile(
    r"tensor\((.*?)(?:,\s*device='[^']*')?(?:,\s*dtype=[\w.]+)?(?:,\s*grad_fn=<\w+>)?(?:,\s*requires_grad=\w+)?\)",
    re.DOTALL,
)
_PLACE = re.compile(r"\b(?:cuda|cpu):\d+|(?:/[\w.+-]+){2,}(?::\d+)?|\b[\w.]+\.py:\d+")
"""Devices, files and lines."""
_WARNING = re.compile(r"\.py:\d+: \w*Warning\b|^\s*File \".*\", line \d+")
"""A warning or a frame; the next line shows code."""
_UNIT = r"(?:ns|us|ms|s|sec|secs|seconds?|min|minutes?|h|hours?|(?:[a-z]+/(?:s|sec|second)|s/[a-z]+))"
_TIMES = re.compile(
    rf"\d+:\d\d(?::\d\d)?(?:[.,]\d+)?|\d{{4}}-\d\d-\d\d|[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?\s*{_UNIT}\b"
    r"|\b(?:time|elapsed|took|eta|duration|speed|throughput|fps)\b[\s:=]*[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?",
    re.IGNORECASE,
)


_EXACT = (1 << 48) - 1
"""A float keeps these bits."""


def parsed(line: str) -> tuple[str, tuple[str, ...]]:
    """The words of a line and its numbers, without devices and times."""
    plain = _TENSOR.sub(r"\1", line)
    plain = _TIMES.sub("", _PLACE.sub("", plain))
    numbers = tuple(found[0].replace(",", "") for found in _NUMBER.finditer(plain))
    words = " ".join(_NUMBER.sub("#", plain).split())
    return words, numbers


class Listener:
    """Hears what is printed, tracked and written to text files beneath `root`; `step` says which one runs."""

    def __init__(self, step: Callable[[], int], root: str) -> None:
        self.said: list[Said] = []
        self._step = step
        self._root = root + os.sep
        self._open: dict[str, str] = {}
        self._is_code_next = False

    def start(self) -> None:
        """Hear the two streams of this process, which stay what they are."""
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            setattr(stream, "write", self._hearing(name, stream.write))  # noqa: B010 - mypy forbids it else

    def _hearing(self, name: str, write: Callable[[str], int]) -> Callable[[str], int]:
        @wraps(write)
        def hear(text: str) -> int:
            if isinstance(text, str):
                *lines, self._open[name] = (self._open.get(name, "") + text).split("\n")
                for line in lines:
                    self._note(line)
            return write(text)

        return hear

    def finish(self) -> None:
        """Hear the last line of each file that has no end."""
        for name, line in self._open.items():
            if name.startswith("file"):
                self._note(line)

    def _is_own(self, name: Any) -> bool:
        return isinstance(name, str) and os.path.realpath(name).startswith(self._root)

    def _note(self, line: str) -> None:
        is_code, self._is_code_next = self._is_code_next, _WARNING.search(line) is not None
        # What writes over its own line shows progress.
        if "\r" not in line and not is_code and not self._is_code_next:
            words, numbers = parsed(line)
            if numbers:
                self.said.append(Said(self._step(), words, numbers))

    def patches(self) -> tuple[Patch, ...]:
        """Patches of what takes figures: TensorBoard's writer, W&B, MLflow, files, and what saves objects."""
        trackers = (
            Patch(owner, name, self._tracking, once_loaded=True)
            for owner, name in (
                ("torch.utils.tensorboard.writer:SummaryWriter", "add_scalar"),
                ("torch.utils.tensorboard.writer:SummaryWriter", "add_scalars"),
                ("wandb", "log"),
                ("mlflow", "log_metric"),
                ("mlflow", "log_metrics"),
            )
        )
        savers = (
            ("torch", "save"),
            ("pickle", "dump"),
            ("numpy", "save"),
            ("numpy", "savez"),
            ("safetensors.torch", "save_file"),
        )
        return (
            *trackers,
            *(Patch(owner, "open", self._opening) for owner in ("builtins", "io")),
            *(
                Patch(owner, name, self._saving(f"{owner}.{name}"), once_loaded=True)
                for owner, name in savers
            ),
        )

    def _opening(self, original: Any) -> Any:
        @wraps(original)
        def open_file(*args: Any, **options: Any) -> Any:
            opened = original(*args, **options)
            if isinstance(opened, io.TextIOWrapper) and opened.writable() and self._is_own(opened.name):
                opened.write = self._hearing(f"file {id(opened)}", opened.write)  # type: ignore[method-assign]
            return opened

        return open_file

    def _saving(self, name: str) -> Callable[[Any], Any]:
        def make(original: Any) -> Any:
            @wraps(original)
            def save(*args: Any, **options: Any) -> Any:
                held = [
                    each
                    for each in (*args, *options.values())
                    if not isinstance(each, str | os.PathLike | io.IOBase)
                ]
                with unseen():
                    digest = int(digest_of(held), 16) & _EXACT
                self.said.append(Said(self._step(), f"{SAVED} by {name}", (str(digest),)))
                return original(*args, **options)

            return save

        return make

    def _tracking(self, original: Any) -> Any:
        @wraps(original)
        def track(*args: Any, **options: Any) -> Any:
            for words, number in _figures((*args, options)):
                self.said.append(Said(self._step(), f"tracked {words}", (number,)))
            return original(*args, **options)

        return track


def _figures(values: tuple[Any, ...]) -> Iterator[tuple[str, str]]:
    """The numbers of a call with their names; a tensor is read as it lies in memory."""
    name = ""
    for value in values:
        if isinstance(value, str):
            name = value
        elif isinstance(value, dict):
            for key, each in value.items():
                yield from ((f"{name} {key}".strip(), number) for _, number in _figures((each,)))
        elif isinstance(value, Tensor):
            if value.numel() == 1:
                yield name, repr(number_of(value))
        elif isinstance(value, int | float) or hasattr(value, "item"):
            yield name, repr(float(value))
