"""A laboratory for trials with a disk that fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
from failing_disk import build, compiler
from script_runner import script_runner
from trials import Laboratory


@pytest.fixture(scope="session")
def laboratory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laboratory]:
    """Needs a C compiler: without one its tests are skipped, or fail where one is required."""
    if sys.platform != "linux":
        pytest.skip("the library is preloaded as glibc has it")
    if compiler() is None:
        if os.environ.get("TBPROF_REQUIRE_TOOLS") == "1":
            pytest.fail("TBPROF_REQUIRE_TOOLS is set and there is no C compiler")
        pytest.skip("there is no C compiler: apt-get install gcc libc6-dev")
    folder = tmp_path_factory.mktemp("trials")
    with script_runner(preload=build(folder)) as processes:
        yield Laboratory(processes, folder)
