"""What torch.compile has compiled, broken and compiled again, from its own records.

Nothing here loads the compiler, which takes seconds: only what is loaded is asked. Its records are no
part of torch's interface, so that each is asked for in a way that a missing one is an empty one.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from tbprof.hook.audit.source_names import trace_file_name
from tbprof.hook.audit.user_frame import is_own_file, is_users_file
from tbprof.model import CompilerFacts, GraphBreak, Recompilation

MOST_OF_EACH = 16
MOST_RECORDS = 10_000
"""Of which the latest are looked at: torch keeps the breaks of all compilations."""
LONGEST_REASON = 200

_GIVEN_UP = "recompile limit exceeded"
_RESUMED = re.compile(r"^torch_dynamo_resume_in_(?P<function>.+)_at_\d+$")
_EXPLANATION = "Explanation:"
_JUMP = "generic_jump"


def compiler_facts() -> CompilerFacts | None:
    """Since the program began; None where nothing was compiled."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    # Another thread may be in the middle of its import.
    counters = getattr(dynamo, "counters", None)
    if counters is None or not counters["frames"]["total"]:
        return None
    metrics = _metrics(dynamo)
    return CompilerFacts(
        graphs=counters["stats"]["unique_graphs"],
        operations=counters["stats"]["calls_captured"],
        breaks=_breaks(getattr(dynamo, "graph_break_reasons", [])[-MOST_RECORDS:]),
        recompilations=_recompilations(metrics),
        given_up=_distinct(_latest_reason(one) for one in metrics if _GIVEN_UP in _text(one, "fail_reason")),
        cudagraph_skips=counters["inductor"]["cudagraph_skips"],
        cudagraph_reasons=_distinct(_reason(_text(one, "cudagraph_skip_reason")) for one in metrics),
    )


def _metrics(dynamo: Any) -> list[Any]:
    """One record a compilation, the latest 64 of them."""
    ask = getattr(dynamo, "get_compilation_metrics", None)
    return list(ask()) if ask is not None else []


def _breaks(records: Iterable[Any]) -> tuple[GraphBreak, ...]:
    """One a line: it breaks first in what holds it, and then by itself, for two reasons that are one."""
    found: Counter[tuple[str, int, str]] = Counter()
    reasons: dict[tuple[str, int, str], str] = {}
    for record in records:
        frame = _blamed(record.user_stack) if record.graph_break else None
        if frame is not None:
            place = (trace_file_name(frame.filename), frame.lineno or 0, _function(frame.name))
            reason = reasons.setdefault(place, _reason(str(record.reason)))
            found[place] += reason == _reason(str(record.reason))
    return tuple(
        GraphBreak(*place, reasons[place], count) for place, count in found.most_common(MOST_OF_EACH)
    )


def _blamed(stack: Iterable[Any]) -> Any:
    """The innermost frame of the user's own code, else of a library's, but never torch's or the hook's."""
    inwards = list(stack)[::-1]
    own = (frame for frame in inwards if is_own_file(frame.filename))
    users = (frame for frame in inwards if is_users_file(frame.filename))
    return next(own, None) or next(users, None)


def _recompilations(metrics: Iterable[Any]) -> tuple[Recompilation, ...]:
    found: dict[tuple[str, int, str], Recompilation] = {}
    for one in metrics:
        file = _text(one, "co_filename")
        reason = _latest_reason(one)
        if not reason or not file or not is_users_file(file):
            continue
        line, took_s = (
            getattr(one, name, None) or 0 for name in ("co_firstlineno", "entire_frame_compile_time_s")
        )
        place = (trace_file_name(file), int(line), _function(_text(one, "co_name")))
        took_ns = round(took_s * 1e9)
        before = found.get(place)
        count, spent_ns = (0, 0) if before is None else (before.count, before.compile_ns)
        found[place] = Recompilation(*place, reason, count + 1, spent_ns + took_ns)
    return tuple(sorted(found.values(), key=lambda one: -one.count))[:MOST_OF_EACH]


def _latest_reason(metrics: Any) -> str:
    """Such as `tensor 'x' size mismatch at index 0. expected 3, actual 4`, without its place in the cache."""
    text = _text(metrics, "recompile_reason")
    return _reason(re.sub(r"^\d+/\d+: ", "", text))


def _reason(text: str) -> str:
    """The line that explains it: torch adds hints, stacks and links, and lines of the program."""
    if text.startswith(_JUMP):
        return "the branch that is taken depends on the value of a tensor"
    lines = [line.strip() for line in text.splitlines()]
    explained = (line.removeprefix(_EXPLANATION).strip() for line in lines if line.startswith(_EXPLANATION))
    first = next(explained, lines[0] if lines else "")
    return first.partition("  # ")[0].strip()[:LONGEST_REASON]


def _function(name: str) -> str:
    """The user's, of one that dynamo made for what comes after a break."""
    resumed = _RESUMED.match(name)
    return resumed["function"] if resumed else name


def _text(record: Any, name: str) -> str:
    value = getattr(record, name, None)
    return value if isinstance(value, str) else ""


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))[:MOST_OF_EACH]
