"""What is to happen in forked children is forgotten with the hook that it belongs to."""

from __future__ import annotations

import pytest

from tbprof.hook.safety import process_end


class Hook:
    def disarm(self) -> None:
        """Nothing."""


def test_hooks_that_are_gone_leave_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_end, "_disarms", [])
    monkeypatch.setattr(process_end.os, "register_at_fork", lambda **_: None)
    for _ in range(100):
        # Nothing else holds it.
        process_end.disarm_in_forked_children(Hook().disarm)
    assert len(process_end._disarms) == 1
