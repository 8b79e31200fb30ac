"""The user's frames around a site, from the innermost outwards, and whose code the innermost is.

A wait inside a library can't be fixed there: what helps is the library's option, or the line of
one's own program that called it.
"""

from __future__ import annotations

import re

from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.attribution.sources import parse_frame
from tbprof.analysis.events.calls import Calls
from tbprof.model import Source
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Trace

MAX_CALLERS = 12
"""Frames that are looked at for one of the user's own code."""

_OWN_CALLERS = 3
"""Frames that are kept around a site in the user's own code; the outer ones are the same for all."""

_INSTALLED = re.compile(r"(?:.*[/\\])?(?:site|dist)-packages[/\\](?P<name>[^/\\]+)", re.DOTALL)
_STANDARD = re.compile(r"(?:.*[/\\])?lib[/\\]python3\.\d+[/\\](?!site-packages|dist-packages)", re.DOTALL)
_TRAINING_LIBRARIES = frozenset(
    [
        *("accelerate", "colossalai", "composer", "datasets", "deepspeed", "diffusers", "fairscale"),
        *("fastai", "ignite", "keras", "lightning", "lightning_fabric", "megatron", "mmengine", "peft"),
        *("pytorch_lightning", "ray", "sentence_transformers", "timm", "torchaudio", "torchmetrics"),
        *("torchtitan", "torchtune", "torchvision", "transformers", "trl", "vllm", "wandb"),
    ]
)
"""Kineto cuts what is on Python's path off a file's name, so that `transformers/trainer.py` is left."""


def library_of(file: str) -> str | None:
    """The library that a frame's file belongs to; None for the user's own code."""
    installed = _INSTALLED.match(file)
    if installed is not None:
        return installed["name"].removesuffix(".py")
    if _STANDARD.match(file):
        return "python"
    first = re.split(r"[/\\]", file, maxsplit=1)[0]
    return first if first in _TRAINING_LIBRARIES and first != file else None


class CallChains:
    """Finds the frames around calls of one trace."""

    def __init__(self, trace: Trace, calls: Calls, frames: Nest) -> None:
        """`frames` are the user's."""
        self._trace = trace
        self._calls = calls
        self._frames = frames

    def callers(self, call: int) -> tuple[Source, ...]:
        """The frames around a call beyond the innermost one.

        Around a library's frame they reach out to the first of the user's own code.
        """
        found = self._from_stack(call) if len(self._trace.call_stack.rows) else self._from_frames(call)
        own = [at for at, frame in enumerate(found) if library_of(frame.file) is None]
        kept = _OWN_CALLERS if not own or own[0] == 0 else own[0]
        return found[1 : kept + 1]

    def _from_frames(self, call: int) -> tuple[Source, ...]:
        names = self._trace.slices.name
        lane, start, end = (
            column[call : call + 1] for column in (self._calls.lane, self._calls.start_ns, self._calls.end_ns)
        )
        at = self._frames.innermost(lane, start, end)
        found: list[Source | None] = []
        while at[0] != NONE and len(found) <= MAX_CALLERS:
            name = self._trace.names[names[self._frames.rows[at[0]]]]
            found.append(parse_frame(name, exact=False))
            at = self._frames.enclosing(at, end)
        return tuple(source for source in found if source is not None)

    def _from_stack(self, call: int) -> tuple[Source, ...]:
        """2021: the stack that the innermost op was given."""
        position = self._calls.op[call]
        if position == NONE:
            return ()
        stack = self._trace.call_stack.at(self._calls.ops.rows[position : position + 1])[0]
        if stack < 0:
            return ()
        frames = (parse_frame(entry, exact=True) for entry in self._trace.names[stack].split(";"))
        return tuple(frame for frame in frames if frame is not None)[: MAX_CALLERS + 1]
