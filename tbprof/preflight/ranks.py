"""The reports of torchrun's ranks, which are run under preflight each: one prints what all have to say."""

from __future__ import annotations

import hashlib
import os
from datetime import timedelta

PATIENCE = timedelta(seconds=30)
"""For rank 0, which may come to its end later."""

AS_FIRST = "as rank 0"
_KEY = "tbprof/preflight"


class Rank:
    """One rank, by what torchrun named it before the program could change that."""

    def __init__(self) -> None:
        self.number = int(os.environ.get("RANK") or 0)
        # The store of the agent, which outlives the ranks.
        has_store = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
        self._store = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])) if has_store else None

    def beside_first(self, report: str) -> str:
        """AS_FIRST where rank 0 says the very same, else that it does not; "" on rank 0, or without a job."""
        if self._store is None:
            return ""
        # Not every build of torch has it.
        from torch.distributed import TCPStore

        digest = hashlib.sha256(report.encode()).hexdigest()
        try:
            store = TCPStore(*self._store, is_master=False, timeout=PATIENCE)
            if self.number == 0:
                store.set(_KEY, digest)
                return ""
            return AS_FIRST if store.get(_KEY).decode() == digest else "not as rank 0"
        except RuntimeError:
            return "rank 0 has not said anything"
