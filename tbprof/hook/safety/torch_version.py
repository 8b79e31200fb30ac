"""Which torch the hook can be used with."""

from __future__ import annotations

import re

import torch

__all__ = ["old_torch_problem"]

OLDEST_TORCH = (2, 6)


def old_torch_problem() -> str | None:
    """A sentence where the torch that is there is older than what tbprof is tested with."""
    found = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if found is None or (int(found[1]), int(found[2])) >= OLDEST_TORCH:
        return None
    return f"torch is {torch.__version__}; tbprof is tested with 2.6 and later: upgrade it."
