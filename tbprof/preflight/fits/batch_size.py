"""How a program is given its batch size: by an argument, the environment, or its DataLoaders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError

VARIABLE = "TBPROF_BATCH_SIZE"
"""A variable of the environment: a program may read its batch size there."""
_FLAGS = tuple(
    f"--{name.replace('-', joint)}"
    for name in (
        *("batch-size", "train-batch-size", "per-device-train-batch-size", "micro-batch-size"),
        *("batchsize", "batch", "bs"),
    )
    for joint in ("-", "_")
)
_ENDS_IN_IT = re.compile(r"--?[\w.-]*batch[-_]?size", re.IGNORECASE)
_OF_NO_TRAINING = re.compile(
    r"(?:^|[-_.])(?:eval|val|valid|validation|test|dev|infer|inference|predict)", re.IGNORECASE
)
_SINGLE = 1
"""The batch size of a loader whose program makes the batches, or takes one sample at a time on purpose."""


@dataclass(frozen=True, slots=True)
class Way:
    """`flag` is the program's argument, "" where it has none that is known."""

    flag: str
    replaces_loaders: bool

    @property
    def name(self) -> str:
        if self.flag:
            return f"its argument {self.flag}"
        return "the batch_size of each of its DataLoaders" if self.replaces_loaders else VARIABLE


def way_of(program: str, arguments: Sequence[str], flag: str, *, is_module: bool) -> Way:
    """How to tell a program: what the user names, an argument that it has, then what it reads."""
    given = {argument.partition("=")[0] for argument in arguments}
    texts = set() if is_module else _texts(program)
    if flag:
        is_option = not flag.startswith("-") and flag not in given and f"--{flag}" in texts | given
        return Way(f"--{flag}" if is_option else flag, replaces_loaders=False)
    others = (name for name in sorted(given | texts, key=len) if _ENDS_IN_IT.fullmatch(name))
    for known in (*_FLAGS, *(name for name in others if not _OF_NO_TRAINING.search(name))):
        if known in given or known in texts:
            return Way(known, replaces_loaders=False)
    return Way("", replaces_loaders=VARIABLE not in texts)


def with_batch(arguments: Sequence[str], flag: str, size: int) -> list[str]:
    """The program's arguments with another batch size; a flag without a dash is a setting `flag=N`."""
    changed, at = list(arguments), [*arguments].index(flag) if flag in arguments else -1
    if at >= 0 and at + 1 < len(changed):
        changed[at + 1] = str(size)
        return changed
    assigned = [index for index, argument in enumerate(changed) if argument.startswith(f"{flag}=")]
    for index in assigned:
        changed[index] = f"{flag}={size}"
    if assigned:
        return changed
    return [*changed, flag, str(size)] if flag.startswith("-") else [*changed, f"{flag}={size}"]


def _texts(program: str) -> set[str]:
    """The strings in the source of a script; none of what is no Python."""
    with suppress(SyntaxError, ValueError, OSError):
        tree = ast.parse(Path(program).read_bytes())
        return {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    return set()


@contextmanager
def loaders_resized(size: int) -> Iterator[None]:
    """Each DataLoader that makes batches of several samples makes them so large.

    Raises:
        UsageError: At the end, where there was none: every size would run the same program.
    """
    from torch.utils.data import DataLoader

    original, resized = DataLoader.__init__, 0

    @wraps(original)
    def resizing(self: Any, dataset: Any, batch_size: int | None = 1, *rest: Any, **named: Any) -> None:
        nonlocal resized
        if batch_size not in (None, _SINGLE) and named.get("batch_sampler") is None:
            resized, batch_size = resized + 1, size
        original(self, dataset, batch_size, *rest, **named)

    DataLoader.__init__ = resizing
    try:
        yield
    finally:
        DataLoader.__init__ = original
    if not resized:
        raise UsageError(
            "its batch size can't be changed: it has no argument such as --batch-size, and no DataLoader "
            "with batches of several samples. "
            f"Name its argument with --batch-flag, or let it read {VARIABLE} from the environment"
        )
