"""Two windows compared, asked through TensorBoard's own application."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from timeouts import PATIENCE_S

OpenTab = Callable[..., Any]
FIRST = "w.1752215573993169006.pt.trace.json.gz"
SECOND = "w.1752215573993169007.pt.trace.json.gz"


@pytest.fixture
def two_windows(logdir: Path, sample: Path) -> Path:
    (logdir / "run" / SECOND).write_bytes(sample.read_bytes())
    return logdir


def compare(tab: Any, before: str, after: str) -> Any:
    """The answer once both windows have been read."""
    asked = {"run": "run", "worker": "w", "before_run": "run", "before_worker": "w"}
    deadline = time.monotonic() + PATIENCE_S
    while True:
        response = tab.get("compare", **asked, window=after, before_window=before)
        if response.json.get("state") != "reading":
            return response
        assert time.monotonic() < deadline, "the traces were not read in time"
        time.sleep(0.05)


def test_a_window_is_like_its_copy(open_tab: OpenTab, two_windows: Path) -> None:
    answer = compare(open_tab(str(two_windows)), FIRST, SECOND).json
    assert answer["state"] == "ready"
    assert "beyond the noise" in answer["view"]["verdict"]
    assert all(row["before"] == row["after"] for row in answer["view"]["figures"])


def test_a_broken_window_says_what_is_wrong(open_tab: OpenTab, two_windows: Path) -> None:
    broken = two_windows / "run" / SECOND
    broken.write_bytes(broken.read_bytes()[:40])
    answer = compare(open_tab(str(two_windows)), FIRST, SECOND).json
    assert answer["state"] == "broken"
    assert answer["problem"]["title"] == f"{SECOND} can't be shown"


def test_a_window_that_is_not_there_is_said(open_tab: OpenTab, two_windows: Path) -> None:
    response = compare(open_tab(str(two_windows)), "elsewhere", SECOND)
    assert response.status_code == 404
    assert "no such window" in response.json["error"]
