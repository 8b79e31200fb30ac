"""A program sees nothing of the hook: each gives the same with and without it."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from script_runner import ScriptRunner, lanes

HERE = Path(__file__).parent
RUN = HERE / "run_program.py"

SUBJECTS = (
    *("optimizing", "differentiating", "stepping", "loading", "tensors", "models", "surroundings"),
    *("techniques", "instruments", "jobs", "corners"),
)

SLOW = frozenset(
    (
        *("compiled_eagerly", "compiled_in_a_memory_step", "compiled_in_a_recorded_step"),
        *("compiled_in_an_audit_step", "exported", "flexible_attention"),
        *(
            "compiled_for_all_sizes",
            "compiled_optimizer",
            "compiled_step_that_calls_the_hook",
            "compiled_whole",
        ),
        *("loader_with_workers", "loader_with_workers_that_stay", "stream_with_workers"),
        "workers_that_are_spawned",
    )
)
"""They take seconds each."""

EXIT_CODES = {"exception_that_leaves": 1, "exit_code_of_its_own": 7}

_OURS = re.compile(
    r"^(tbprof|USDT:|\[W\d|  warn|ERROR: External init)|profiler_st(art|op)|Memory block of unknown size"
)
"""Lines of the hook's logger, and of Kineto."""


class Seen(NamedTuple):
    """All that can be seen of a program that has ended."""

    exit_code: int | None
    printed: str
    complained: list[str]
    left: dict[str, str]


def programs(subject: str) -> list[str]:
    """The functions of a module that take a hook's factory alone."""
    tree = ast.parse((HERE / f"{subject}.py").read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return [f.name for f in functions if [a.arg for a in f.args.args] == ["watch"] and f.name[0] != "_"]


ALL = [(subject, name) for subject in SUBJECTS for name in programs(subject)]


def seen(processes: ScriptRunner, folder: Path, program: tuple[str, str], variant: str) -> Seen:
    """Run a program in a process of its own."""
    folder.mkdir(parents=True)
    # Not copied as a whole: pytest names the next test in it meanwhile.
    inherited = {name: value for name in os.environ if (value := os.environ.get(name)) is not None}
    environment = {**inherited, "TBPROF_SPOOL": str(folder / "spool"), "TBPROF_QUIET": "1"}
    ended = processes.run([RUN, *program, variant, folder], folder, environment)
    assert ended.exit_code is not None, f"{program} hung, {variant}: {ended.stderr}"
    complained = [line for line in ended.stderr.splitlines() if not _OURS.search(line)]
    file = folder / "seen.json"
    left = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return Seen(ended.exit_code, ended.stdout, [_named(line, folder) for line in complained], left)


def _named(line: str, folder: Path) -> str:
    # torch's own log begins a line with the time and the process.
    return re.sub(r"0x[0-9a-f]+|line \d+|^[WE]\d{4} \S+ \d+ ", "", line.replace(str(folder), ""))


def differences(alone: Seen, watched: Seen) -> dict[str, tuple[object, object]]:
    """What is not the same, each by its name."""
    found = {
        name: (getattr(alone, name), getattr(watched, name))
        for name in ("exit_code", "printed", "complained")
        if getattr(alone, name) != getattr(watched, name)
    }
    for name in sorted({*alone.left, *watched.left}):
        if alone.left.get(name) != watched.left.get(name):
            found[name] = alone.left.get(name), watched.left.get(name)
    return found


def check(processes: ScriptRunner, folder: Path, program: tuple[str, str], variants: tuple[str, ...]) -> None:
    alone = seen(processes, folder / "alone", program, "alone")
    assert alone.left, f"it fails by itself: {alone.complained}"
    assert alone.exit_code == EXIT_CODES.get(program[1], 0), alone.complained
    found = {
        variant: differences(alone, seen(processes, folder / variant, program, variant))
        for variant in variants
    }
    if any(found.values()):
        # Else what differs may be none of the hook's doing.
        assert differences(alone, seen(processes, folder / "again", program, "alone")) == {}
    assert {variant: named for variant, named in found.items() if named} == {}


Checks = dict[tuple[str, str], "Future[None]"]


def _asked_for(session: pytest.Session, fixture: str) -> Iterator[tuple[str, str]]:
    for item in session.items:
        if fixture in getattr(item, "fixturenames", ()):
            yield item.callspec.params["program"]


def _checks(request: pytest.FixtureRequest, variants: tuple[str, ...]) -> Iterator[Checks]:
    """The programs that are asked for, as many at a time as there are processors."""
    processes = request.getfixturevalue("processes")
    folder = request.getfixturevalue("tmp_path_factory").mktemp("programs")
    work = partial(check, processes, variants=variants)
    with lanes() as pool:
        yield {
            program: pool.submit(work, folder / program[1], program)
            for program in _asked_for(request.session, str(request.fixturename))
        }
        pool.shutdown(cancel_futures=True)


@pytest.fixture(scope="module")
def quick_checks(request: pytest.FixtureRequest) -> Iterator[Checks]:
    yield from _checks(request, ("everything",))


@pytest.fixture(scope="module")
def both_checks(request: pytest.FixtureRequest) -> Iterator[Checks]:
    yield from _checks(request, ("defaults", "everything"))


@pytest.fixture(scope="module")
def whole_checks(request: pytest.FixtureRequest) -> Iterator[Checks]:
    yield from _checks(request, ("defaults, published", "everything, published"))


def _id(program: tuple[str, str]) -> str:
    return program[1].replace("_", " ")


@pytest.mark.parametrize("program", [p for p in ALL if p[1] not in SLOW][::3], ids=_id)
def test_a_program_sees_nothing_of_the_hook(quick_checks: Checks, program: tuple[str, str]) -> None:
    quick_checks[program].result()


@pytest.mark.exhaustive
@pytest.mark.parametrize("program", ALL, ids=_id)
def test_a_program_sees_nothing_of_the_hook_with_the_defaults_either(
    both_checks: Checks, program: tuple[str, str]
) -> None:
    both_checks[program].result()


@pytest.mark.exhaustive
@pytest.mark.parametrize("program", ALL, ids=_id)
def test_a_program_sees_nothing_of_what_is_published(whole_checks: Checks, program: tuple[str, str]) -> None:
    whole_checks[program].result()
