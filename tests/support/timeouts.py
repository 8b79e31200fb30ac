"""How long a test waits for what comes at once on a quiet machine: only a hang takes longer."""

from __future__ import annotations

PATIENCE_S = 300.0
PATIENCE_MS = 120_000
"""For a browser, in which one test waits for many things."""
