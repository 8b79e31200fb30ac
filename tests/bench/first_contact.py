"""What the hook does on the GPU that is here, case by case.

python tests/bench/first_contact.py OUT [--seconds 95] [--only A,B]

Each case is a training in a process of its own with a deadline of its own: one that hangs or dies
takes no other along. OUT gets `results.jsonl`, a line as each ends, and a folder for each case with the
windows that it left. Needs torch, numpy and msgspec. `--table` prints what OUT has, and runs nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from threading import Lock
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = str(HERE / "first_contact_programs.py")
TOGETHER = 8
"""Cases that share the GPU, since their times are looked at by nobody."""
_KEPT_TEXT = 3000


@dataclass(frozen=True, slots=True)
class Case:
    """A command; `{folder}` in it stands for the case's own."""

    name: str
    command: tuple[str, ...]
    deadline_s: float = 45.0
    variables: Mapping[str, str] = field(default_factory=dict)


def training(
    program: str,
    watch: str = "defaults",
    *,
    name: str | None = None,
    flags: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> Case:
    named = name or (program if watch == "defaults" else f"{program}.{watch}")
    command = (sys.executable, *flags, PROGRAMS, program, "{folder}", watch)
    return Case(named, command, variables=variables or {})


def tool(name: str, *arguments: str) -> Case:
    return Case(name, (sys.executable, "-m", "tbprof", *arguments))


TIMED = (
    training("patch"),
    training("gpt"),
    training("small"),
    training("plain_profiler"),
    training("launch_bound"),
    training("launch_bound", "alone"),
)
"""One after another, and before all others."""

_STORE = str(Path(tempfile.gettempdir()) / f"first_contact_{os.getpid()}")


def _rank(rank: int) -> Case:
    variables = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "FIRST_CONTACT_STORE": _STORE}
    return training("distributed_by_gloo", name=f"rank_{rank}_of_2", variables=variables)


SHARED = (
    _rank(0),
    _rank(1),
    training("values", "alone", variables={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}),
    training("values", variables={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}),
    training("values", "everything", variables={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}),
    training("small", name="small.warnings_are_errors", flags=("-W", "error")),
    training("device_assert"),
    training("device_assert", "alone"),
    training("out_of_memory"),
    training("graphs", "alone"),
    training("graphs"),
    training("graphs_after_empty_session"),
    training("graphs_on_a_thread", "alone"),
    training("graphs_on_a_thread"),
    training("graphs_on_a_thread_locally"),
    training("compiled"),
    training("compiled_into_graphs"),
    training("on_the_cpu"),
    training("on_the_cpu", "alone"),
    training("wait_in_backward"),
    training("waits"),
    training("memory"),
    training("users_profiler"),
    training("users_profiler", "alone"),
    training("users_debug_mode"),
    training("users_debug_mode_warns"),
    training("users_debug_mode_warns", "alone"),
    training("small", "everything"),
    training("small", name="small.launches_block", variables={"CUDA_LAUNCH_BLOCKING": "1"}),
    tool("doctor", "doctor", "{folder}"),
    tool("run", "run", "--logdir", "{folder}/logs", PROGRAMS, "short", "{folder}"),
    tool("preflight", "preflight", PROGRAMS, "--", "short", "{folder}"),
    training("pluggable_allocator"),
    training("side_stream"),
    training("in_a_thread"),
    training("distributed"),
    training("loop_over_items"),
    training("rebuilt_cache"),
    training("graphs_after_empty_session", "everything"),
    training("compiled", "everything"),
    training("out_of_memory_ends"),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", type=lambda names: frozenset(names.split(",")))
    parser.add_argument("--seconds", type=float, default=200.0, help="for all cases together")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args(arguments)
    out = options.out.resolve()
    if options.table:
        print_table(out)
        return
    out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + options.seconds
    contact = _Contact(out, until)
    for case in _chosen(TIMED, options.only):
        contact.run(case)
    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(contact.run, _chosen(SHARED, options.only)))


def _chosen(cases: Sequence[Case], names: frozenset[str] | None) -> Iterator[Case]:
    return (case for case in cases if names is None or case.name in names)


HEAD = """\
| case | exit code | windows | values as alone | step, median | hook's calls of three windows | hook said |
|---|---|---|---|---|---|---|"""
_VALUES = ("losses", "values")
_CYCLE_STEPS, _FIRST_CYCLE = 9, 6
"""Of the programs' schedule."""


def print_table(out: Path) -> None:
    """One row a case, the last try of each; values are compared with those of the same program alone."""
    lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = {result["case"]: result for result in map(json.loads, lines)}
    alone = {name.partition(".")[0]: _facts(found) for name, found in results.items() if ".alone" in name}
    print(HEAD)
    for name, result in results.items():
        own = _facts(result)
        other = alone.get(name.partition(".")[0], {})
        same = [own[key] == other[key] for key in _VALUES if key in own and key in other]
        steps_us, said = own.get("steps_us", ()), [line for line in own.get("log", ()) if "WARN" in line]
        cells = (
            name,
            f"{result.get('code', '-')}" if result["state"] == "ended" else result["state"],
            f"{len(result.get('windows', ()))}",
            ("yes" if all(same) else "no") if same else "-",
            f"{median(steps_us) / 1000:.1f} ms" if steps_us else "-",
            ", ".join(f"{ms:.0f}" for ms in _cycles_ms(own)) or "-",
            " ".join(said)[:200] or "-",
        )
        print(f"| {' | '.join(cells)} |")


def _facts(result: Mapping[str, Any]) -> dict[str, Any]:
    """What the training printed last."""
    return next((line for line in reversed(result.get("printed", ())) if isinstance(line, dict)), {})


def _cycles_ms(facts: Mapping[str, Any]) -> list[float]:
    """All calls of `hook.step()`, from the wait before a window to that before the next."""
    stalls_us = facts.get("stalls_us", ())
    starts = range(_FIRST_CYCLE, _FIRST_CYCLE + 3 * _CYCLE_STEPS, _CYCLE_STEPS)
    cycles = [sum(stalls_us[start : start + _CYCLE_STEPS]) / 1000 for start in starts]
    return cycles if 0 < len(stalls_us) < 100 else []


class _Contact:
    """Runs cases until the time is up, and writes down how each ended."""

    def __init__(self, out: Path, until: float) -> None:
        self._out, self._until, self._lock = out, until, Lock()

    def run(self, case: Case) -> None:
        left_s = self._until - time.monotonic()
        if left_s < 1:
            self._write({"case": case.name, "state": "not reached"})
            return
        self._write({"case": case.name, **self._ended(case, min(case.deadline_s, left_s))})

    def _ended(self, case: Case, deadline_s: float) -> dict[str, Any]:
        folder = self._out / case.name
        folder.mkdir(parents=True, exist_ok=True)
        command = [part.replace("{folder}", str(folder)) for part in case.command]
        variables = {
            "TBPROF_SPOOL": str(folder / "spool"),
            "PYTHONPATH": _python_path(),
            "OMP_NUM_THREADS": "2",
        }
        with (folder / "out.txt").open("wb") as said, (folder / "err.txt").open("wb") as told:
            begun = time.time()
            child = subprocess.Popen(
                command,
                stdout=said,
                stderr=told,
                env={**os.environ, **variables, **case.variables},
                start_new_session=True,
            )
            try:
                code: int | None = child.wait(deadline_s)
            except subprocess.TimeoutExpired:
                code = None
            ended = time.time()
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        printed = (folder / "out.txt").read_text(errors="replace")
        return {
            "state": "too long" if code is None else "ended",
            "code": code,
            "seconds": round(ended - begun, 2),
            "ended_at": ended,
            "printed": [_parsed(line) for line in printed.splitlines()[-40:]],
            "errors": (folder / "err.txt").read_text(errors="replace")[-_KEPT_TEXT:],
            "windows": sorted(str(path.relative_to(folder)) for path in folder.rglob("*.trace.json*")),
        }

    def _write(self, result: dict[str, Any]) -> None:
        with self._lock, (self._out / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")
            left_s = self._until - time.monotonic()
            brief = {key: result.get(key) for key in ("case", "state", "code", "seconds")}
            print(json.dumps({**brief, "windows": len(result.get("windows", ())), "left_s": round(left_s)}))
            sys.stdout.flush()


def _python_path() -> str:
    return os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


if __name__ == "__main__":
    main()
