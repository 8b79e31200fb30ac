"""How Python runs the modules that need torch, which this process never imports."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

from tbprof.errors import UsageError


def command_with_torch(module: str, arguments: Sequence[str]) -> list[str]:
    """`python -m module arguments...`, in the user's own environment: it runs the user's program.

    What this process was told of warnings (`python -W error -m tbprof ...`) is meant for that program.

    Raises:
        UsageError: torch is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError("this command runs a program and needs torch: pip install 'tbprof[train]'")
    warnings = [f"-W{option}" for option in sys.warnoptions]
    return [sys.executable, *warnings, "-m", module, *arguments]
