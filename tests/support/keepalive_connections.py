"""A crowd whose members each keep one connection, as browsers do with a proxy."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from board import Times, in_a_loop_of_its_own


def crowd_of_kept_connections(
    port: int, path: str, viewers: int, headers: Mapping[str, str], seconds: float = 4.0
) -> Times:
    """So many clients who each ask again as soon as they are answered."""
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"GET {path} HTTP/1.1\r\n{head}\r\n".encode()
    return in_a_loop_of_its_own(_crowd(port, request, viewers, seconds))


async def _crowd(port: int, request: bytes, viewers: int, seconds: float) -> Times:
    times = Times([], 0)
    end = time.monotonic() + seconds

    async def view() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.monotonic() < end:
            began = time.monotonic()
            writer.write(request)
            await writer.drain()
            times.errors += await _status(reader) != 200
            times.seconds.append(time.monotonic() - began)
        writer.close()

    await asyncio.gather(*(view() for _ in range(viewers)))
    return times


async def _status(reader: asyncio.StreamReader) -> int:
    """Of one answer, read to its end."""
    status, *lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
    fields = dict(line.split(b": ", 1) for line in lines if line)
    if b"content-length" in fields:
        await reader.readexactly(int(fields[b"content-length"]))
    else:
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    return int(status.split()[1])
