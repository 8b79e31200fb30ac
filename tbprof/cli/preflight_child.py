"""Preflight in a process of its own: it needs torch, and the program may do anything."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence

from tbprof.cli.preflight_document import Json
from tbprof.errors import UsageError

__all__ = ["run_preflight"]


def run_preflight(program: str, arguments: Sequence[str], options: Sequence[str] = ()) -> Json:
    """Run a program without a GPU, its output on stderr, and take what preflight says of it.

    Raises:
        UsageError: torch is missing, or nothing was said.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError("preflight runs the program and needs torch: pip install 'tbprof[train]'")
    command = [sys.executable, "-m", "tbprof.preflight", "--format", "json", *options, program]
    ended = subprocess.run([*command, "--", *arguments], stdout=subprocess.PIPE, check=False)
    try:
        document: Json = json.loads(ended.stdout)
    except ValueError:
        raise UsageError(
            f"preflight of {program} ended with code {ended.returncode} and no report: "
            "its own message is above"
        ) from None
    return document
