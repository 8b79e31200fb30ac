"""What the workers of the engines need."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of the tests are found, and what an engine warns of in its own workers is not an error."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1] / "support"))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("PYTHONWARNINGS", "ignore")
