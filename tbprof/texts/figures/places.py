"""The names that a recording has for code, in words by which the code can be found."""

from __future__ import annotations

import re
from collections.abc import Callable

from tbprof.texts.figures.names import name_words

_WORDS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (
        r"torch\.compile: ## Call CompiledFxGraph (\w{1,8})\w* ##",
        lambda m: f"a compiled graph ({m[1]}\u2026)",
    ),
    (r"torch\.compile: (.+)", lambda m: f"compiled code in {place_words(m[1])}"),
    (r"Torch-Compiled Region: (.+)", lambda m: f"compiled region {m[1]}"),
    (r"enumerate\(DataLoader\)#_SingleProcess.*", lambda _: "next(loader), in the training process"),
    (r"enumerate\(DataLoader\)#_MultiProcess.*", lambda _: "next(loader), with worker processes"),
    (r"Optimizer\.(\w+)#(\w+)\..+", lambda m: f"{m[2]}.{m[1]}()"),
    (r"nn\.Module: (.+)", lambda m: f"module {m[1]}"),
    (r"(.+\.pyx?): (.+)", lambda m: f"{m[2]} of {m[1]}"),
    (r"(.+\.pyx?)\((\d+)\): (.+)", lambda m: f"{m[1]}:{m[2]} {m[3]}"),
    (r"autograd::engine::evaluate_function: (\w+)Backward\d+", lambda m: f"the backward pass of {m[1]}"),
    (r"\w+::.+", lambda m: f"operator {m[0]}"),
    (r"backward|nccl:.*|gloo:.*|Compiled\w+|Torch.*|triton_.*|DistributedDataParallel.*", lambda m: m[0]),
    (r"(?s).+", lambda m: f'record_function("{m[0]}")'),
)
"""The first whose pattern is the whole name; all else is a range that the program named itself."""


def place_words(place: str) -> str:
    """What the host was in; "" stays that.

    Args:
        place: A label, function, module or op as the recording names it, or one of `HostPlaces`.
    """
    for pattern, words in _WORDS:
        if found := re.fullmatch(pattern, place):
            return name_words(words(found))
    return place
