"""The SDK's own client of the tools for agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import anyio
from mcp import Client

from tbprof.mcp.server import server_below

T = TypeVar("T")


def with_client(root: Path, use: Callable[[Client], Awaitable[T]]) -> T:
    async def main() -> T:
        async with Client(server_below(root)) as client:
            return await use(client)

    return in_a_thread(main)


def in_a_thread(main: Callable[[], Awaitable[T]]) -> T:
    """What a loop of its own gives: this thread may have one, of a browser's."""
    with ThreadPoolExecutor(1) as threads:
        found: T = threads.submit(anyio.run, main).result()
    return found
