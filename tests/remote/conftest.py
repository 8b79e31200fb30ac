"""A store in memory, of which each test has its own folder and its own cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tbprof.remote import placeholders


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv(placeholders.MIRRORS_VARIABLE, "")
    monkeypatch.setattr(placeholders, "_addresses", {})
    yield
    placeholders._store.cache_clear()


@pytest.fixture
def address(tmp_path: Path) -> str:
    """Of a folder that nobody has written to."""
    return f"faulty://{tmp_path.name}-{id(tmp_path)}/runs"
