"""Traces that tests injure."""

from __future__ import annotations

import pytest
from trace_mutants import CLEAN, Original, original, recorded


@pytest.fixture(scope="session")
def cpu_trace(tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A training on the CPU with stacks, recorded now."""
    return recorded(tmp_path_factory.mktemp("recorded"))


@pytest.fixture(scope="session")
def gpu_trace() -> Original:
    """A training on an H100 with stacks."""
    return original(CLEAN)
