"""What torch.compile did in a program, as the hook finds it in torch's own records."""

from __future__ import annotations

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class GraphBreak:
    """A line at which torch.compile ended a graph and went on with another one."""

    file: str
    line: int
    function: str
    reason: str
    """In torch's words, a line of text."""
    count: int
    """How many times it was compiled so."""


@dataclass(frozen=True, slots=True)
class Recompilation:
    """A function that was compiled again since what it was compiled for no longer held."""

    file: str
    line: int
    """That of its `def`."""
    function: str
    reason: str
    """In torch's words, that of the latest time."""
    count: int
    compile_ns: int
    """What all these times took together."""


@dataclass(frozen=True, slots=True)
class CompilerFacts:
    """All that was compiled since the program began."""

    graphs: int
    operations: int
    """Calls of torch that are in these graphs, each counted once a graph."""
    breaks: tuple[GraphBreak, ...] = ()
    """Most frequent first."""
    recompilations: tuple[Recompilation, ...] = ()
    """Most frequent first, of the latest times that torch keeps."""
    given_up: tuple[str, ...] = ()
    """Reasons for which torch runs code uncompiled after so many times."""
    cudagraph_skips: int = 0
    """Graphs that were to be replayed as a CUDA graph, and are not."""
    cudagraph_reasons: tuple[str, ...] = ()
    """Why, as far as torch keeps it."""
