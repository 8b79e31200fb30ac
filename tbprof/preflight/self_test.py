"""A look, at each start, whether this torch behaves as the marks and patches need it to."""

from __future__ import annotations

import gc
from typing import Any

import torch

from tbprof.errors import SelfTestFailed
from tbprof.preflight.watching.recording import RECORDERS, Recorder

_PROGRAM = """
import torch
base = torch.ones(4).to("cuda")
rows = base.view(2, 2)
del base
gc.collect()
total = (rows[1] * 2).sum()
total.item()
if total > 1:
    rows.cpu()
"""
_EXPECTED = [("upload", 3), ("scalar_read", 8), ("control_flow", 9), ("host_read", 10)]


def self_test() -> None:
    """Run a few lines whose events are known.

    Raises:
        SelfTestFailed: others were seen.
    """
    outer, recorder = RECORDERS[:], Recorder()
    RECORDERS[:] = [recorder]
    names: dict[str, Any] = {"gc": gc}
    try:
        exec(compile(_PROGRAM, "<stdin>", "exec", dont_inherit=True), names)
    finally:
        RECORDERS[:] = outer
    seen = [(tally.event.kind, tally.origin.source.line) for tally in recorder.tallies.values()]
    if seen != _EXPECTED or not names["rows"].is_cuda:
        raise SelfTestFailed(
            f"preflight does not understand torch {torch.__version__}: of {_EXPECTED} it saw {seen}; "
            "use another version of torch for this"
        )
