"""The names that a recording has for code, in words by which the code can be found."""

from __future__ import annotations

import re
from collections.abc import Callable

from tbprof.model import Numbers, Scope, Site, Source

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
    (r".+\.pyx?:\d+ .+", lambda m: m[0]),
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


_LONGEST = 160
"""Letters of a name; a longer one would bury the sentence."""


def name_words(name: str) -> str:
    """Short enough for a sentence, and without the marks by which one sets words apart."""
    shown = name.replace("`", "\u02cb").replace("**", "\u2217\u2217")
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}\u2026"


def numbers_in_words(numbers: Numbers) -> Numbers:
    """The same of all names among the numbers of a sentence."""
    return {key: name_words(value) if isinstance(value, str) else value for key, value in numbers.items()}


def site_where(site: Site) -> str:
    """Where to look for a site: its line, else its function, else a label, a module, or its ops.

    Inside a library the user's own line that led there stands beside it.
    """
    source = site.source
    if source is None:
        if site.label:
            return place_words(site.label)
        around = between_ops(site.op_before, site.op_after)
        ops = ", ".join(said for said in (" \u2039 ".join(site.ops[:2]), around) if said)
        return name_words(f"module {site.module}" if site.module else ops)
    line = _line_of(source)
    where = line if source.exact else f"{name_words(source.function)} ({line})"
    own = site.callers[-1] if site.library and site.callers else None
    return where if own is None or own.line is None else f"{where}, from {_line_of(own)}"


def between_ops(before: str | None, after: str | None) -> str:
    """The operators around a site that nothing else says the place of; "" where something does."""
    return f"between {before} and {after}" if before and after else ""


def _line_of(source: Source) -> str:
    name = name_words(source.file.replace("\\", "/").rpartition("/")[2])
    return name if source.line is None else f"{name}:{source.line}"


_STEP = Scope(each="a step", name="a step")
_WINDOW = Scope(each="in the window", name="the window")


def scope_of(*, marks_steps: bool) -> Scope:
    return _STEP if marks_steps else _WINDOW


NO_LINE = "line not recorded"
"""In place of a site's line."""

WHOLE_WINDOW = "the window"
"""In place of the sites of a finding that has none."""

_DIRECTIONS = {
    "HtoD": "copy to the GPU",
    "DtoH": "copy to the host",
    "DtoD": "copy on the GPU",
    "PtoP": "copy between GPUs",
    "": "copy, direction not recorded",
}


def site_name(site: Site) -> str:
    """What a site does, in words."""
    if not any("emcpy" in call for call in site.calls):
        call = site.calls[0].lower() if site.calls else ""
        of = "device" if "device" in call or "ctx" in call else "event" if "event" in call else "stream"
        return f"synchronize the {of}"
    memory = f", {site.memory} memory" if site.memory else ""
    return f"{_DIRECTIONS.get(site.direction, 'copy ' + site.direction)}{memory}"


def wait_for_all(device: int | float | str | None) -> str:
    """What to do where a device was not done when the profiler stopped."""
    if device is None:
        every = "Wait for each device that works, with `torch.cuda.synchronize(device)`"
        return f"{every}, before the profiler stops."
    return f"Wait for GPU {device}, with `torch.cuda.synchronize({device})`, before the profiler stops."
