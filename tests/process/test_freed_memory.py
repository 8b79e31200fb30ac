"""A process that keeps what it frees takes no page twice."""

from __future__ import annotations

import subprocess
import sys

import pytest

ARRAYS_AGAIN = """
import resource
import numpy as np
from tbprof.process.freed_memory import keep_freed_memory

{first}
np.ones(20 << 17)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    np.ones(20 << 17)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
"""Page faults of ten arrays of 20 MB after the first one."""


def faults(first: str) -> int:
    program = ARRAYS_AGAIN.format(first=first)
    return int(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has the settings")
def test_arrays_that_come_and_go_take_the_same_pages() -> None:
    assert faults("keep_freed_memory()") < 100
    # Each anew, of which glibc learns after the first: its limits then are twice the size.
    assert faults("") >= faults("keep_freed_memory()")
