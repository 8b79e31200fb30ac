"""Tools that SyncBench asks: each takes a request, and answers what it can.

An adapter of another tool is a command. It gets the request as JSON on its standard input, with the paths
`program` and `after` (null where nothing is to be judged) and `step_on`, and prints one with any of
`lines` (numbers of lines that wait and should not), `verdict`, `gain` and `patch` (the mended text).
"""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import torch
from side_server import SideServer

from tests.syncbench.proving import Proved, lines, mended, predicted, proved


@dataclass(frozen=True)
class Request:
    program: str
    after: str | None
    step_on: str | None
    """The function whose end is that of a step; None where an optimizer's is."""


@dataclass(frozen=True)
class Answer:
    """What a tool says; None where it does not say such things."""

    lines: frozenset[int] | None = None
    verdict: str | None = None
    gain: str | None = None
    patch: str | None = None
    """The mended text; "" where it has nothing to offer."""


Tool = Callable[[Request], Answer]


class NotRun(Exception):
    """A tool that cannot be asked here, with the reason."""


def adapter(name: str, server: SideServer) -> Tool:
    """An adapter by its name, or the command that is one."""
    known: dict[str, Tool] = {
        "tbprof": partial(tbprof, server),
        "grep": grep,
        "ast": scan,
        "sync-debug": sync_debug,
    }
    return known.get(name) or partial(command, name)


def tbprof(server: SideServer, request: Request) -> Answer:
    before = Path(request.program).read_text(encoding="utf-8")
    if request.after is None:
        alarmed = lines(predicted(server, before, request.step_on), alarms=True)
        return Answer(frozenset(map(int, alarmed)), patch=mended(server, before, request.step_on))
    found = proved(server, before, Path(request.after).read_text(encoding="utf-8"), request.step_on)
    return Answer(None, found.proof.verdict, gain_of(found))


_HALF, _MOST, _TENTH = 0.5, 0.75, 0.1


def gain_of(found: Proved) -> str:
    """The class of a gain, from counts alone: of a step's waits, copies, bytes and operators.

    `slower`: the host waits more often, or memory is pinned for nothing. `none`: nothing is proved to be
    less; over three quarters of the waits stay, which drain the device as before; or a copy was the only
    wait of a step, which does no more than keep the host from running ahead. `gain > 5 %`: over half of the
    waits go, and their copies with them, or a tenth of the bytes is left. `0 to 5 %`: all else.
    """
    claim = found.proof.claim
    if claim is None or found.proof.verdict not in ("proved", "proved within rounding", "no effect"):
        return "none"
    (before, after), pinned = claim.sync_points, claim.pinned
    if after > before:
        return "slower"
    if found.proof.verdict == "no effect":
        return "slower" if pinned[1] > pinned[0] else "none"
    is_copied_as_before = claim.copies[1] >= claim.copies[0] > 0
    only_paces = 0 < before <= 1 and claim.copies[0] > 0
    if before and (_MOST * before < after < before or (only_paces and after < before)):
        return "none"
    is_half = after < _HALF * before and not is_copied_as_before
    is_tenth = after == before and claim.bytes[1] < _TENTH * claim.bytes[0]
    return "gain > 5 %" if is_half or is_tenth else "0 to 5 %"


_READS = re.compile(r"\.item\(\)|\.cpu\(\)|nonzero\b")


def grep(request: Request) -> Answer:
    """The lines with `.item()`, `.cpu()` or `nonzero`."""
    source = Path(request.program).read_text(encoding="utf-8").splitlines()
    return Answer(frozenset(number for number, line in enumerate(source, 1) if _READS.search(line)))


_METHODS = {
    *("item", "cpu", "numpy", "tolist", "nonzero", "unique", "masked_select", "synchronize", "empty_cache"),
    *("bincount", "argwhere"),
}
_ASKING = {"any", "all", "isnan", "isinf", "allclose", "equal"}
_NUMBERS = {"int", "float", "bool"}


def scan(request: Request) -> Answer:
    """The calls that rules of linters name, in loops and functions, and branches on `any()` and its like."""
    tree = ast.parse(Path(request.program).read_text(encoding="utf-8"))
    return Answer(frozenset(_named(tree)))


def _named(tree: ast.AST) -> Iterator[int]:
    for outer in ast.walk(tree):
        if isinstance(outer, ast.For | ast.While | ast.FunctionDef):
            for node in ast.walk(outer):
                if isinstance(node, ast.Call) and _is_read(node):
                    yield node.lineno
                elif isinstance(node, ast.If | ast.While | ast.IfExp) and any(
                    isinstance(each, ast.Call) and _called(each) in _ASKING for each in ast.walk(node.test)
                ):
                    yield node.test.lineno


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _is_read(call: ast.Call) -> bool:
    name = _called(call)
    if name in _NUMBERS:
        return any(isinstance(each, ast.Call) for each in call.args)
    from_host = name in ("tensor", "as_tensor") and any(each.arg == "device" for each in call.keywords)
    return from_host or (isinstance(call.func, ast.Attribute) and name in _METHODS)


_WATCHED = """
import collections, json, runpy, sys, traceback, warnings
import torch
program, counts = sys.argv[1], collections.Counter()
def shown(message, *_):
    if "synchronizing CUDA operation" in str(message):
        frames = [each.lineno for each in traceback.extract_stack() if each.filename == program]
        counts[frames[-1] if frames else 0] += 1
warnings.showwarning = shown
warnings.simplefilter("always")
torch.cuda.set_sync_debug_mode("warn")
sys.stdout = sys.stderr
runpy.run_path(program, run_name="__main__")
sys.__stdout__.write(json.dumps(counts))
"""
_EACH_STEP = 6
"""A line that waits in each of the eight or more steps of a program waits as often; set-up does not."""


def sync_debug(request: Request) -> Answer:
    """The lines of which `torch.cuda.set_sync_debug_mode("warn")` warns, on a GPU."""
    if not torch.cuda.is_available():
        raise NotRun("there is no GPU")
    ended = subprocess.run(
        [sys.executable, "-c", _WATCHED, request.program], capture_output=True, text=True, check=True
    )
    counts = json.loads(ended.stdout)
    return Answer(frozenset(int(line) for line, times in counts.items() if times >= _EACH_STEP))


def command(words: str, request: Request) -> Answer:
    """An adapter of another tool, as a command."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(
            shlex.split(words),
            input=json.dumps(asdict(request)),
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
        )
    if ended.returncode:
        raise NotRun(f"exit code {ended.returncode}: {ended.stderr.strip()[-300:]}")
    said = json.loads(ended.stdout)
    found = said.get("lines")
    named = None if found is None else frozenset(map(int, found))
    return Answer(named, said.get("verdict"), said.get("gain"), said.get("patch"))
