"""The tools: each is a command of tbprof, below one root, with its output as bounded and quoted text.

Nothing is written but the session's notes; `preflight`, `prove` and `ab` run programs, as their names say.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from tbprof.errors import TbprofError, UsageError
from tbprof.mcp.running import Commands, Ended, answer
from tbprof.safe_open import content_within
from tbprof.session_file import Session
from tbprof.version import __version__

_INSTRUCTIONS = """\
tbprof says why the GPU of a PyTorch training does no useful work, which lines are to blame, and what fixing
them saves. With a recording (*.trace.json, *.tbprof.pb) begin with `report`; without one, or without a GPU,
with `preflight`. Take the first action, edit (`fix` offers edits), ask `prove` whether the edit is right, and
`note` what was decided. Stop when the first action saves less than 2 % of a step; keep no edit of which
`prove` says anything but proved.
"""
_LEVELS = """\
Levels of proof: times, counts and "at least" are measured; "saves" is replayed, the window without the waits;
"up to" and "at most" are bounds, not promises; lines of a recording without a GPU are predicted.
"""
_MOST_SOURCE_BYTES = 2 << 20

_Path = Annotated[str, Field(description="a file or folder below the root that the server was started with")]
_Program = Annotated[str, Field(description="a Python script below the root")]
_Arguments = Annotated[tuple[str, ...], Field(description="what the script is given")]
_Side = Annotated[str, Field(description="a revision of git, or a folder or script below the root; . is now")]
_SharedProgram = Annotated[str, Field(description="below both sides; empty where these are scripts")]
_StepOn = Annotated[
    str,
    Field(
        description="where no optimizer steps: whose return ends a step, as package.module:Class.method, or "
        "__main__:function of the script"
    ),
]
_Links = Annotated[tuple[str, ...], Field(description="what git ignores and a run needs, such as data")]
_Minutes = Annotated[int, Field(ge=1, le=60, description="at most so long")]
_Rows = Annotated[int, Field(ge=1, le=200)]
_Steps = Annotated[int, Field(ge=1, le=50, description="optimizer steps to look at")]
_Table = Literal["operators", "kernels", "modules", "collectives", "memory", "allocations"]
_Note = Literal["question", "proposal", "proof", "measurement", "accept", "reject"]

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RUNS_A_PROGRAM = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=True)
_WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

_Tool = Callable[..., Awaitable[str]]


def server_below(root: Path) -> MCPServer:
    """A server whose tools reach what lies below `root`, and nothing else."""
    tools = _Tools(root)
    server = MCPServer("tbprof", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR")
    reading = (tools.report, tools.explain_rule, tools.source, tools.table, tools.compare, tools.check)
    for tool in (*reading, tools.notes):
        server.tool(annotations=_READS)(tool)
    for tool in (tools.preflight, tools.fix, tools.prove, tools.ab):
        server.tool(annotations=_RUNS_A_PROGRAM)(tool)
    server.tool(annotations=_WRITES)(tools.note)
    return server


def _in_sentences(tool: _Tool) -> _Tool:
    """The same tool, whose errors are sentences for who asked."""

    @wraps(tool)
    async def asked(*args: Any, **named: Any) -> str:
        try:
            return await tool(*args, **named)
        except TbprofError as error:
            raise ToolError(answer(str(error), more="", note="It could not be done.\n")) from error

    return asked


class _Tools:
    """What each tool does; an agent reads its first sentence."""

    def __init__(self, root: Path) -> None:
        self._commands, self._session = Commands(root), Session(root)

    async def _run(self, context: Context, *arguments: str) -> Ended:
        return await self._commands.run(arguments, partial(context.report_progress, total=None))

    @_in_sentences
    async def report(self, context: Context, path: _Path, windows: _Rows = 1) -> str:
        """Say why the GPU is idle in a recording or a run's folder, and what to change first, and where."""
        ended = await self._run(context, "report", self._commands.path(path), "--top", str(windows))
        more = "ask for one file, or for table, check and source of it"
        return answer(ended.output, more=more, note=_LEVELS, said=ended.said)

    @_in_sentences
    async def explain_rule(self, context: Context, code: str) -> str:
        """Say what a rule such as SYN01 finds, why it costs time, how to fix it, and when it says nothing."""
        if not code.isalnum():
            raise UsageError(f"{code!r} is no code of a rule: give one such as SYN01")
        return answer((await self._run(context, "explain", code)).output, more="nothing more is known of it")

    @_in_sentences
    async def source(
        self, context: Context, file: str, line: int, around: _Rows = 10, recording: str = ""
    ) -> str:
        """Show lines of a Python file below the root or, with a recording, lines that it embedded."""
        if recording:
            command = ("report", self._commands.path(recording), "--format", "json", "--top", "1")
            lines = _embedded_lines((await self._run(context, *command)).output, file)
        else:
            lines = _file_lines(self._commands.path(file))
        shown = {number: text for number, text in lines.items() if abs(number - line) <= around}
        if not shown:
            raise UsageError(f"{file} has no line {line} here, but {min(lines)} to {max(lines)}")
        marked = (f"{number:>6}{'>' if number == line else ' '} {text}" for number, text in shown.items())
        return answer("\n".join(marked), more="ask for fewer lines with around=")

    @_in_sentences
    async def table(self, context: Context, path: _Path, name: _Table, rows: _Rows = 20) -> str:
        """Show the largest rows of a table of a trace."""
        ended = await self._run(context, "table", name, self._commands.path(path), "--top", str(rows))
        return answer(ended.output, more="ask for fewer rows, or another table", said=ended.said)

    @_in_sentences
    async def compare(self, context: Context, before: _Path, after: _Path) -> str:
        """Say what changed from one recording to another, and why, beside the noise of their steps."""
        sides = [self._commands.path(side) for side in (after, before)]
        ended = await self._run(context, "report", sides[0], "--against", sides[1])
        return answer(ended.output, more="ask for table of each", said=ended.said)

    @_in_sentences
    async def check(self, context: Context, path: _Path, forbid: list[str] | None = None) -> str:
        """List every check of a recording with its result, or fail it for rules such as SYN01 in `forbid`."""
        wanted = ["--forbid", ",".join(forbid)] if forbid else ["--list"]
        ended = await self._run(context, "check", self._commands.recording(path), *wanted)
        verdict = {0: "Passed.\n", 1: "Failed.\n"}.get(ended.code, "Could not be judged.\n") if forbid else ""
        return answer(ended.output, more="ask with forbid= for one rule", note=verdict, said=ended.said)

    @_in_sentences
    async def preflight(
        self,
        context: Context,
        program: _Program,
        arguments: _Arguments = (),
        steps: _Steps = 3,
        step_on: _StepOn = "",
    ) -> str:
        """Run a program without a GPU, and name its lines that would wait for one or copy, as predicted."""
        options = ("--steps", str(steps), *_named("--step-on", step_on))
        command = ("preflight", *options, self._commands.program(program), "--", *arguments)
        ended = await self._run(context, *command)
        return answer(ended.output, more="ask for source of the lines that matter", said=ended.said)

    @_in_sentences
    async def fix(
        self,
        context: Context,
        program: _Program,
        arguments: _Arguments = (),
        only: Annotated[str, Field(description="a rule such as SYN01, or file.py:line; empty for all")] = "",
        step_on: _StepOn = "",
        link: _Links = (),
    ) -> str:
        """Offer edits of the lines that wait, as diffs, each proved to leave the training as it is."""
        options = (*_named("--only", only), *_named("--step-on", step_on), *self._links(link))
        ended = await self._run(context, "fix", *options, self._commands.program(program), "--", *arguments)
        return answer(ended.output, more="ask with only= for one line", said=ended.said)

    @_in_sentences
    async def prove(
        self,
        context: Context,
        before: _Side,
        after: _Side,
        program: _SharedProgram = "",
        arguments: _Arguments = (),
        steps: _Steps = 5,
        step_on: _StepOn = "",
        link: _Links = (),
    ) -> str:
        """Say whether a change is right: both sides run from the same seeds, and are compared to the bit."""
        options = ("--steps", str(steps), *_named("--step-on", step_on), *self._links(link))
        sides = self._sides(before, after, program, arguments)
        ended = await self._run(context, "prove", *options, *sides)
        return answer(ended.output, more="prove a smaller change", said=ended.said)

    @_in_sentences
    async def ab(
        self,
        context: Context,
        before: _Side,
        after: _Side,
        program: _SharedProgram = "",
        arguments: _Arguments = (),
        minutes: _Minutes = 5,
        force: Annotated[bool, Field(description="measure on a machine that is not idle, too")] = False,
        step_on: _StepOn = "",
        link: _Links = (),
    ) -> str:
        """Measure what a change wins: both sides take turns here, after the machine against itself."""
        options = ("--max-minutes", str(minutes), *_named("--step-on", step_on), *self._links(link))
        forced = ("--force",) if force else ()
        sides = self._sides(before, after, program, arguments)
        ended = await self._run(context, "ab", *options, *forced, *sides)
        return answer(ended.output, more="measure a smaller change", said=ended.said)

    def _links(self, links: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(f"--link={self._commands.path(link)}" for link in links)

    def _sides(self, before: str, after: str, program: str, arguments: tuple[str, ...]) -> tuple[str, ...]:
        sides = (self._commands.side(before), self._commands.side(after))
        return (*sides, *_program_of_sides(program), "--", *arguments)

    @_in_sentences
    async def note(self, kind: _Note, text: Annotated[str, Field(max_length=2000)]) -> str:
        """Add to the session of the project what was asked, proposed, proved, measured or decided."""
        self._session.add(kind, text, by="agent")
        return answer(self._session.text(last=1), more="ask for notes")

    @_in_sentences
    async def notes(self, last: _Rows = 20) -> str:
        """Show the last lines of the session."""
        return answer(self._session.text(last), more="ask for fewer with last=")


def _program_of_sides(program: str) -> tuple[str, ...]:
    """The program as an argument of a command; none where the sides are programs.

    Raises:
        UsageError: It leads out of the sides, or is an option.
    """
    if program.startswith("-") or ".." in Path(program).parts or Path(program).is_absolute():
        raise UsageError(f"{program!r} is no path below both sides: give one such as train.py")
    return (program,) if program else ()


def _named(option: str, value: str) -> tuple[str, ...]:
    """An option with its value, which is never taken for another option; nothing where it is empty."""
    return (f"{option}={value}",) if value else ()


def _embedded_lines(document: str, file: str) -> dict[int, str]:
    """Lines by number of the file whose path ends so, as the recording has them.

    Raises:
        UsageError: It has none.
    """
    try:
        read = json.loads(document)
    except ValueError as error:
        raise UsageError("the report is too large to look for lines in: name one window's file") from error
    sources = [one for report in read.get("reports", [read]) for one in report["sources"]]
    wanted = Path(file).parts
    lines = {
        source["first_line"] + at: text
        for source in sources
        if Path(source["file"]).parts[-len(wanted) :] == wanted
        for at, text in enumerate(source["text"].splitlines())
    }
    if not lines:
        known = sorted({source["file"] for source in sources})[:20]
        raise UsageError(f"the recording has no line of {file!r}, but of {', '.join(known) or 'no file'}")
    return lines


def _file_lines(path: str) -> dict[int, str]:
    """Lines by number of a Python file.

    Raises:
        UsageError: It is something else, or can't be read.
    """
    if not path.endswith(".py"):
        raise UsageError(f"{path} is no Python file: only those are shown")
    try:
        text = content_within(path, _MOST_SOURCE_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(f"{path} can't be read ({error})") from error
    return dict(enumerate(text.splitlines(), 1)) or {1: ""}
