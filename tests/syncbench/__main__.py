"""`python -m tests.syncbench score|label|export|hide`: SyncBench, from the root of the repository."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from tests.syncbench.proving import server  # isort: skip  It makes side_server importable.

from tests.syncbench.adapters import adapter
from tests.syncbench.labels import exported, hide, label
from tests.syncbench.scoring import printed, score
from tests.syncbench.tasks import CANARY, VERSION, Task, tasks


def main(arguments: list[str]) -> None:
    """Score a tool, or make what is stored of tasks."""
    parser = argparse.ArgumentParser(prog="python -m tests.syncbench", description=main.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    of_score = commands.add_parser("score", help="ask a tool about the tasks")
    of_score.add_argument("tool", help="tbprof, grep, ast, sync-debug, or a command")
    of_score.add_argument("--long", action="store_true", help="say what it got wrong")
    for name, what in (
        ("label", "compute the labels of tasks, from marks in their programs"),
        ("hide", "replace the labels of tasks by salted digests"),
        ("export", "print the tasks as JSON Lines"),
    ):
        commands.add_parser(name, help=what)
    for each in commands.choices.values():
        each.add_argument("--task", action="append", default=[], help="a task; default: all")
    options = parser.parse_args(arguments)
    chosen = tuple(tasks(tuple(options.task)))
    for line in _said(options, chosen):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def _said(options: argparse.Namespace, chosen: tuple[Task, ...]) -> Iterator[str]:
    if options.command == "export":
        yield from exported(iter(chosen), CANARY, VERSION)
        return
    if options.command == "hide":
        for task in chosen:
            hide(task)
        return
    with server() as side_server:
        if options.command == "label":
            yield from (label(task, side_server) for task in chosen if not task.is_hidden)
        else:
            result = score(adapter(options.tool, side_server), chosen, side_server)
            yield from printed(options.tool, result, is_long=options.long)


if __name__ == "__main__":
    main(sys.argv[1:])
