"""tbprof: which lines of a PyTorch program make the GPU wait, and what fixing them would save.

Importing this package imports nothing heavy: each public name below is loaded when it
is first used, so that TensorBoard can hold the plugin without torch and a trainer can
hold the hook without the viewer.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
"""What type checkers take for true, without `typing`: to import that takes half of `tbprof --version`."""

if TYPE_CHECKING:
    from tbprof.executors.analyzing import Executor, analyze_many
    from tbprof.hook.annotation import annotate
    from tbprof.hook.schedule import Schedule, SlowSteps
    from tbprof.hook.trainer_hook import TrainerHook
    from tbprof.html_report.loaded_report import load
    from tbprof.preflight.session import Preflight
    from tbprof.version import __version__

__all__ = [
    "Executor",
    "Preflight",
    "Schedule",
    "SlowSteps",
    "TrainerHook",
    "__version__",
    "analyze_many",
    "annotate",
    "load",
]

_HOMES = {
    "__version__": "tbprof.version",
    "Executor": "tbprof.executors.analyzing",
    "Preflight": "tbprof.preflight.session",
    "Schedule": "tbprof.hook.schedule",
    "SlowSteps": "tbprof.hook.schedule",
    "TrainerHook": "tbprof.hook.trainer_hook",
    "analyze_many": "tbprof.executors.analyzing",
    "annotate": "tbprof.hook.annotation",
    "load": "tbprof.html_report.loaded_report",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home on first use.

    Raises:
        AttributeError: there is no such public name.
    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'tbprof' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: object) -> None:
    """Add `%%tbprof` to a notebook: what `%load_ext tbprof` calls."""
    import_module("tbprof.notebook").register(shell)
