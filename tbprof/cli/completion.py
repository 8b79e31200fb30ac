"""Scripts that complete commands, options and paths in a shell; shtab writes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

from tbprof.errors import UsageError


def completion_script(shell: str, parser: argparse.ArgumentParser, add_commands: Callable[[], None]) -> str:
    """The script for a shell that shtab knows; what has no choices of its own is completed as a path.

    Raises:
        UsageError: shtab does not know the shell, or is missing.
    """
    try:
        import shtab
    except ImportError as error:
        raise UsageError("completions need shtab: pip install 'tbprof[completion]'") from error
    if shell not in shtab.SUPPORTED_SHELLS:
        raise UsageError(f"--completion {shell}: give one of {', '.join(shtab.SUPPORTED_SHELLS)}")
    add_commands()
    for action in _actions(parser):
        if action.choices is None and action.nargs != 0:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    script: str = shtab.complete(parser, shell=shell)
    return script


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All that a parser and its commands take."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action
