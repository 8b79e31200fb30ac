"""How Python runs the modules that need torch, which this process never imports."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence

from tbprof.cli.preflight_document import Json
from tbprof.errors import UsageError


def command_with_torch(module: str, arguments: Sequence[str]) -> list[str]:
    """`python -m module arguments...`, in the user's own environment: it runs the user's program.

    What this process was given for warnings (`python -W error -m tbprof ...`) is meant for that program.

    Raises:
        UsageError: torch is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError("this command runs a program and needs torch: pip install 'tbprof[train]'")
    warnings = [f"-W{option}" for option in sys.warnoptions]
    return [sys.executable, *warnings, "-m", module, *arguments]


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
