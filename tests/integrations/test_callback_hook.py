"""What all adapters share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof import TrainerHook
from tbprof.integrations.callback_hook import CallbackHook


def test_who_gives_way_says_why_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    adapter = CallbackHook(TrainerHook(tmp_path / "logs", spool=tmp_path / "spool"))
    adapter.give_way("Composer's Profiler")
    adapter.begin(0)
    adapter.end()
    (said,) = [record.getMessage() for record in caplog.records if record.name == "tbprof"]
    assert said.startswith("Nothing is recorded: Composer's Profiler is at work")
