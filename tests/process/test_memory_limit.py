"""A process that may not take the machine's memory."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tbprof.process.memory_limit import machine_memory_bytes

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such a limit")


@on_linux
def test_what_needs_more_than_is_allowed_is_out_of_memory() -> None:
    program = (
        "from tbprof.process.memory_limit import limit_memory\n"
        "limit_memory(64 << 20)\n"
        "kept = bytearray(32 << 20)\n"
        "try: bytearray(64 << 20)\n"
        "except MemoryError: print('refused')"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "refused\n"


@on_linux
def test_the_machine_has_memory() -> None:
    assert (machine_memory_bytes() or 0) > 64 << 20
