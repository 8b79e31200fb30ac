"""What is counted over a window."""

from __future__ import annotations

import gc
import sys
import types
from collections import Counter

import pytest

from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.window.window_measurements import counted, growth

MISSING = MissingFacts()


def test_full_collections_are_counted() -> None:
    before = counted(MISSING)
    gc.collect()
    gc.collect()
    assert growth(before, counted(MISSING))["gc.full"] == 2


def test_the_compiler_is_asked_where_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch._dynamo.utils", raising=False)
    before = counted(MISSING)
    assert "dynamo.graphs" not in before
    counters = {
        "stats": Counter(unique_graphs=2),
        "frames": Counter(total=3),
        "graph_break": Counter(reason=1, other=4),
    }
    monkeypatch.setitem(sys.modules, "torch._dynamo.utils", types.SimpleNamespace(counters=counters))
    since = growth(before, counted(MISSING))
    assert (since["dynamo.graphs"], since["dynamo.frames"], since["dynamo.graph_breaks"]) == (2, 3, 5)
