"""`%load_ext tbprof` in a notebook, then `%%tbprof` at the head of a cell: its report is below the cell."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tbprof.errors import UsageError
from tbprof.standard_streams import put

if TYPE_CHECKING:
    from types import CodeType

_STEPS = 3
_USAGE = "%%tbprof [preflight [STEPS] | record]: without a word, record where there is a GPU, else preflight"


def register(shell: Any) -> None:
    """Add the magic to an IPython shell."""
    shell.register_magic_function(lambda line, cell: _run(shell, line, cell), "cell", "tbprof")


def _run(shell: Any, line: str, cell: str) -> object:
    """Run a cell and show what it makes a GPU wait for.

    Raises:
        UsageError: The words after `%%tbprof` make no sense.
    """
    import torch

    way, *rest = shlex.split(line) or ["record" if torch.cuda.is_available() else "preflight"]
    is_known = (way == "record" and not rest) or (way == "preflight" and len(rest) < 2)
    if not is_known or not all(word.isdigit() and int(word) > 0 for word in rest):
        raise UsageError(_USAGE)
    # With a line for the magic's own, so that numbers are those of the cell.
    transformed = "\n" + shell.transform_cell(cell)
    code = compile(transformed, shell.compile.cache(transformed), "exec")
    if way == "record":
        return _recorded(shell, code)
    _predict(shell, code, int(rest[0]) if rest else _STEPS)
    return None


def _predict(shell: Any, code: CodeType, steps: int) -> None:
    from tbprof.preflight.session import Preflight

    with Preflight(steps=steps) as preflight:
        exec(code, shell.user_ns)
    put(preflight.text())


def _recorded(shell: Any, code: CodeType) -> object:
    """The report of all that the cell does; a notebook displays what a cell ends with."""
    import torch

    from tbprof.html_report.loaded_report import load

    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities, record_shapes=True, with_stack=True) as profiler:
        exec(code, shell.user_ns)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cell.pt.trace.json"
        profiler.export_chrome_trace(str(file))
        return load(file)
