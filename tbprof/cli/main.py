"""The `tbprof` command.

Exit codes: 0 fine; 1 what `--fail-on`, `--forbid` or `--budget` asked for was found; 2 it could
not be done, with one sentence on stderr; 3 a program that was checked put nothing on a GPU; 130 somebody
interrupted it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module

from tbprof.errors import TbprofError
from tbprof.process.garbage import searching_seldom
from tbprof.process.one_thread import one_thread
from tbprof.standard_streams import discard, flush_output, prepare_streams, put
from tbprof.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from tbprof.cli.parser import Commands

_COMMANDS: Mapping[str, str] = {
    "report": "say what makes the GPU wait in a trace or a log directory",
    "table": "print a table of a trace, such as its operators or kernels",
    "fleet": "list all runs of a log directory, those first that waste most",
    "job": "say which rank the others wait for, and why",
    "check": "fail a build for lines that make the GPU wait",
    "explain": "say what a rule finds and how to fix it",
    "manual": "print a page of the manual",
    "demo": "train a small model before and after its fixes",
    "run": "profile a training script without changing its code",
    "preflight": "name the lines that would sync, on a machine without a GPU",
    "prove": "say whether a change is right, and what it saves, on a machine without a GPU",
    "fix": "offer edits of the lines that wait, each proved, on a machine without a GPU",
    "ab": "measure what a change really wins on this machine",
    "verify": "measure what a line that waits really costs, in one running program",
    "bisect": "find the commit after which the GPU is waited for, on a machine without a GPU",
    "fits": "say which batch sizes fit on a GPU, on a machine without one",
    "doctor": "say what a good recording lacks on this machine",
    "classic": "write copies of traces that the standard PyTorch Profiler tab shows correctly",
    "import": "bring traces of other tools into a log directory",
    "mcp": "give agents these commands as tools (Model Context Protocol)",
    "skill": "print or install the text from which agents learn to use tbprof",
    "session": "print what people and agents have asked, proved and decided in a project",
    "publish": "publish the windows that runs left behind, or one trace",
}
"""What each command does; to list them imports none."""
_OWN_PROCESS = "tbprof.command_process"
_WITH_TORCH: Mapping[str, tuple[str, ...]] = {
    "run": ("tbprof.hook.run",),
    "preflight": ("tbprof.preflight",),
    "prove": (_OWN_PROCESS, "tbprof.preflight.proof.command"),
    "fix": (_OWN_PROCESS, "tbprof.preflight.fix.command"),
    "bisect": (_OWN_PROCESS, "tbprof.preflight.bisect"),
    "fits": (_OWN_PROCESS, "tbprof.preflight.fits.command"),
    "ab": (_OWN_PROCESS, "tbprof.experiment.ab"),
    "verify": (_OWN_PROCESS, "tbprof.experiment.verify"),
}
"""The module that Python runs for a command that needs torch, and what it is given before the command's own
words; each of the others is a module of `tbprof.cli.commands`."""
_READING = frozenset(("report", "table", "fleet", "job", "classic", "import", "publish"))
"""Commands that never run a program of the user's, whose linear algebra may need all cores; `check` may."""
COULD_NOT = 2
INTERRUPTED = 130
"""The code that shells have for what SIGINT ended: 2 would say that something is wrong with what was
asked."""
_VERSION = f"tbprof {__version__}"


def run() -> NoReturn:
    """The process that `tbprof` is."""
    raise SystemExit(main())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; the border at which errors become sentences."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    prepare_streams()
    try:
        try:
            with searching_seldom() if arguments is None else nullcontext():
                return _run(given)
        finally:
            # What --help printed, too, which ends the command.
            flush_output()
    except TbprofError as error:
        return _say(str(error))
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough.
        discard(sys.stdout)
        return 0
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except MemoryError:
        # A small file can hold more than any machine does.
        return _say(f"this takes more memory than there is: {' '.join(given)}")
    except Exception as error:
        if os.environ.get("TBPROF_DEBUG"):
            raise
        fault = f"{type(error).__name__}: {error}"
        return _say(f"this is a fault of tbprof's ({fault}); TBPROF_DEBUG=1 shows where")


def _run(given: Sequence[str]) -> int:
    if given == ["--version"]:
        # A parser takes longer to import than all that this needs.
        put(f"{_VERSION}\n")
        return 0
    from argparse import ArgumentParser

    parser = ArgumentParser(
        prog="tbprof", description="Which lines of a PyTorch program make the GPU wait, and what each costs."
    )
    parser.add_argument("--version", action="version", version=_VERSION)
    parser.add_argument("--completion", metavar="SHELL", help="print a script that completes commands")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    with one_thread() if given and given[0] in _READING else nullcontext():
        if given[:1] == ["--completion"]:
            from tbprof.cli.completion import completion_script

            put(completion_script(given[1] if given[1:] else "", parser, lambda: _add_all(commands)))
            return 0
        if given and given[0] in _COMMANDS:
            _add(given[0], commands)
        else:
            for command, what in _COMMANDS.items():
                commands.add_parser(command, help=what)
        if not given:
            put(parser.format_help())
            return 0
        own, after = _at_dashes(given)
        options, unknown = parser.parse_known_args(own)
        if unknown:
            parser.error(_unrecognized(unknown, given))
        if after:
            options.paths.extend(after)
        code: int = options.run(options)
        return code


def _add(command: str, commands: Commands) -> None:
    if command in _WITH_TORCH:
        from tbprof.cli.torch_command import add_command_with_torch

        add_command_with_torch(commands, command, *_WITH_TORCH[command])
    else:
        import_module(f"tbprof.cli.commands.{command}").add_to(commands)


def _add_all(commands: Commands) -> None:
    for command, what in _COMMANDS.items():
        _add(command, commands)
        # As `add_parser(help=what)` would: a command knows its own options alone.
        commands._choices_actions.append(commands._ChoicesPseudoAction(command, (), what))


def _at_dashes(given: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """What is the command's own, and what stands after `--`: a program's arguments, or odd paths.

    Only of `check`: argparse takes its paths from one place among options, and leaves what comes later.
    """
    if given[:1] != ["check"] or "--" not in given:
        return given, ()
    dashes = given.index("--")
    return given[:dashes], given[dashes + 1 :]


def _unrecognized(unknown: Sequence[str], given: Sequence[str]) -> str:
    """In the words of argparse, and where they would be a program's."""
    is_program = given[0] == "check" and any(word.endswith(".py") or word == "-m" for word in given)
    words = " ".join(unknown)
    hint = f"; those of the program go after --: PROGRAM -- {words}" if is_program else ""
    return f"unrecognized arguments: {words}{hint}"


def _say(sentence: str) -> int:
    from tbprof.cli.output_file import tell

    tell(sentence)
    return COULD_NOT
