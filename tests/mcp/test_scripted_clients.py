"""Clients that reach tbprof through its tools alone: they mend what can be mended, and accept no harm."""

from __future__ import annotations

import io
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

for _needed in ("torch", "anyio", "libcst", "mcp.server.mcpserver"):
    pytest.importorskip(_needed)

from fix_forms import FORMS, Form  # noqa: E402
from mcp import Client  # noqa: E402
from side_server import SideServer  # noqa: E402
from tool_client import with_client  # noqa: E402

from tbprof.mcp import running  # noqa: E402
from tbprof.preflight.fix.command import run as fix  # noqa: E402
from tbprof.preflight.proof.command import run as prove  # noqa: E402
from tbprof.preflight.text import text  # noqa: E402
from tbprof.standard_streams import put  # noqa: E402
from tests.syncbench.proving import chdir, predicted, server  # noqa: E402
from tests.syncbench.scoring import ACCEPTED  # noqa: E402
from tests.syncbench.tasks import Task, tasks  # noqa: E402

PROGRAMS = FORMS[:20]
CHANGES = sorted(
    (task for task in tasks() if task.source("after")), key=lambda task: task.source("wrong") is None
)[:40]
STOPS = tuple(
    tasks(tuple(f"needed_{each}" for each in ("epochs", "evaluation", "pictures", "scaling", "training")))
)
"""All that they wait for is needed."""
HARMFUL = ("race", "stale", "wrong result", "adds a wait")
SAMPLE = ("fvdb_144", "invokeai_6490")

_ACTION = re.compile(r"^\S+\.py:\d+ in .*\[([A-Z]{3}\d\d)\]", re.MULTILINE)
_OFFER = re.compile(
    r"^([A-Z]{3}\d\d) \S+, [^\n]*: ([a-z ]+)\n(--- a/.*?)(?=\n\n|\n```|\Z)", re.MULTILINE | re.DOTALL
)
_VERDICT = re.compile(r" -> \S+: ([a-z ]+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def side_server() -> Iterator[SideServer]:
    with server() as started:
        yield started


@pytest.fixture(autouse=True)
def forked_sides(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork what the exhaustive tests run from one process that has torch: a tenth of the time."""
    if request.node.get_closest_marker("exhaustive") is None:
        return
    sides = request.getfixturevalue("side_server")

    async def run(command: Sequence[str], folder: Path, _: running.Progress) -> running.Ended:
        asked, given = command[3], command[4:]
        output, said = io.StringIO(), io.StringIO()
        with chdir(str(folder)), redirect_stdout(output), redirect_stderr(said):
            if asked == "preflight":
                step_on = next((each.partition("=")[2] for each in given if "--step-on=" in each), None)
                put(text(predicted(sides, Path("train.py").read_text(encoding="utf-8"), step_on)))
                code = 0
            else:
                code = {"fix": fix, "prove": prove}[asked](given, run_side=sides)
        return running.Ended(code, output.getvalue(), said.getvalue())

    monkeypatch.setattr(running, "_run", run)
    # A client has a thread of its own, where no signal is heard.
    monkeypatch.setattr(signal, "signal", lambda *_: None)


async def ask(client: Client, tool: str, **given: Any) -> str:
    result = await client.call_tool(tool, given)
    text = "".join(part.text for part in result.content)
    assert not result.is_error, text
    assert running.tokens(text) < running.MOST_TOKENS
    return text


async def verdict_of(client: Client, after: str, **given: str) -> str:
    """What `prove` says of an edit of `train.py`."""
    found = _VERDICT.search(await ask(client, "prove", before="train.py", after=after, **given))
    assert found is not None
    return found[1]


async def follow_the_skill(client: Client, root: Path) -> list[str]:
    """Look, edit, prove, accept or reject, until no action is left that was not tried: what was accepted."""
    accepted, tried = list[str](), set[str]()
    while True:
        actions = _ACTION.findall(await ask(client, "preflight", program="train.py"))
        rule = next((rule for rule in actions if rule not in tried), None)
        if rule is None:
            await ask(client, "note", kind="reject", text="Nothing is left that is worth a change.")
            return accepted
        tried.add(rule)
        offers = _OFFER.findall(await ask(client, "fix", program="train.py", only=rule))
        for code, said, diff in offers:
            if said not in ACCEPTED:
                continue
            shutil.copy(root / "train.py", root / "edited.py")
            patch = ("patch", "-s", "edited.py")
            subprocess.run(patch, input=f"{diff}\n", text=True, cwd=root, check=True)
            await ask(client, "note", kind="proposal", text=f"{code}: {diff[:1000]}")
            verdict = await verdict_of(client, "edited.py")
            kind = "accept" if verdict in ACCEPTED else "reject"
            await ask(client, "note", kind=kind, text=f"{code} is {verdict}.")
            if kind == "accept":
                shutil.move(root / "edited.py", root / "train.py")
                accepted.append(code)
                tried.remove(rule)
                break


def mended(folder: Path, source: str) -> tuple[list[str], str]:
    """What the client accepts of a program, and the session that it leaves."""
    (folder / "train.py").write_text(source, encoding="utf-8")

    async def use(client: Client) -> tuple[list[str], str]:
        return await follow_the_skill(client, folder), await ask(client, "notes")

    return with_client(folder, use)


@pytest.mark.parametrize(
    "form",
    [
        form if at == 11 else pytest.param(form, marks=pytest.mark.exhaustive)
        for at, form in enumerate(PROGRAMS)
    ],
    ids=lambda form: form.name,
)
def test_who_follows_the_skill_ends_with_the_proved_edit(form: Form, tmp_path: Path) -> None:
    accepted, session = mended(tmp_path, form.source(0))
    lines = {line.strip() for line in (tmp_path / "train.py").read_text(encoding="utf-8").splitlines()}
    assert form.rule in accepted
    assert set(form.written) <= lines
    assert f"agent: {form.rule} is proved" in session


@pytest.mark.parametrize(
    "task",
    [task if at == 0 else pytest.param(task, marks=pytest.mark.exhaustive) for at, task in enumerate(STOPS)],
    ids=lambda task: task.name,
)
def test_who_follows_the_skill_stops_where_nothing_can_be_won(task: Task, tmp_path: Path) -> None:
    source = task.source("before") or ""
    accepted, session = mended(tmp_path, source)
    assert accepted == []
    assert (tmp_path / "train.py").read_text(encoding="utf-8") == source
    assert session.rstrip("`\n").endswith("reject      agent: Nothing is left that is worth a change.")


async def judge_edits(client: Client, edits: list[str], step_on: str | None) -> dict[str, str]:
    """Who knows no more than the descriptions: the verdict of each edit, up to the first that is accepted."""
    tools = (await client.list_tools()).tools

    def which(words: str) -> str:
        (found,) = (tool for tool in tools if words in (tool.description or ""))
        return str(found.name)

    def named(tool: str, words: str) -> str:
        schema = next(each for each in tools if each.name == tool).input_schema
        (found,) = (
            name for name, each in schema["properties"].items() if words in each.get("description", "")
        )
        return str(found)

    looking, judging = which("name its lines that would wait"), which("whether a change is right")
    given = [
        {named(tool, "ends a step"): step_on} if step_on else dict[str, str]() for tool in (looking, judging)
    ]
    await ask(client, looking, **{named(looking, "a Python script"): "train.py"}, **given[0])
    verdicts = dict[str, str]()
    for edit in edits:
        found = _VERDICT.search(await ask(client, judging, before="train.py", after=edit, **given[1]))
        assert found is not None
        verdicts[edit] = found[1]
        await ask(client, which("Add to the session"), kind="proof", text=f"{edit}: {found[1]}")
        if found[1] in ACCEPTED:
            break
    return verdicts


@pytest.mark.parametrize(
    "task",
    [task if task.name in SAMPLE else pytest.param(task, marks=pytest.mark.exhaustive) for task in CHANGES],
    ids=lambda task: task.name,
)
def test_who_knows_only_the_descriptions_accepts_right_edits_and_no_harm(task: Task, tmp_path: Path) -> None:
    """The wrong form of a change is proposed first, where there is one."""
    edits = {side: f"edit_{at}.py" for at, side in enumerate(("wrong", "after")) if task.source(side)}
    for side, name in {"before": "train.py", **edits}.items():
        shutil.copy(task.path(side), tmp_path / name)
    verdicts = with_client(tmp_path, lambda client: judge_edits(client, list(edits.values()), task.step_on))
    assert verdicts.get(edits.get("wrong", "")) not in ACCEPTED
    assert task.is_right("verdict", verdicts[edits["after"]])
    assert task.facts.get("trap") not in HARMFUL or verdicts[edits["after"]] not in ACCEPTED
