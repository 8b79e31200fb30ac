"""The suite is shared out to processes by what its tests set up."""

from __future__ import annotations

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="all tests run in one process")
def test_each_test_belongs_to_a_process_with_its_file(request: pytest.FixtureRequest) -> None:
    assert request.node.nodeid.endswith("@support/test_processes.py")
