"""Preflight in a process of its own: it needs torch, and the program may do anything."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from tbprof.cli.input.preflight_document import Json
from tbprof.cli.processes.torch_command import command_with_torch
from tbprof.errors import UsageError


def run_preflight(program: str, arguments: Sequence[str], options: Sequence[str] = ()) -> Json:
    """Run a program without a GPU, its output on stderr, and take what preflight says of it.

    Raises:
        UsageError: torch is missing, or nothing was said.
    """
    command = command_with_torch(
        "tbprof.preflight", ["--format", "json", *options, program, "--", *arguments]
    )
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    try:
        document: Json = json.loads(ended.stdout)
    except ValueError:
        raise UsageError(
            f"preflight of {program} ended with code {ended.returncode} and no report: "
            + ("its own message is above" if ended.returncode else "the program ends its process itself")
        ) from None
    return document
