"""`faulty://`: a store in memory that fails as it is told to."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

import fsspec
from fsspec.implementations.memory import MemoryFileSystem


class FaultyStore(MemoryFileSystem):  # type: ignore[misc]
    """What fails is in `faults`: each is called once, with the bytes that would have been given."""

    protocol = "faulty"
    store: ClassVar[dict[str, Any]] = {}
    faults: ClassVar[deque[Callable[[bytes], bytes]]] = deque()
    named: tuple[str, ...] = ()
    """Further names that are listed beneath a folder, as any store but one in memory may hold them."""
    failing_writes = 0
    """So many of the next fail."""
    listings = 0
    reads = 0

    def find(self, path: str, **options: Any) -> Any:
        FaultyStore.listings += 1
        found = super().find(path, **options)
        return {**found, **{f"{path}/{name}": {"size": 2} for name in self.named}}

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **options: Any) -> bytes:
        FaultyStore.reads += 1
        data: bytes = super().cat_file(path, start=start, end=end, **options)
        return self.faults.popleft()(data) if self.faults else data

    def put_file(self, local: str, path: str, **options: Any) -> None:
        if FaultyStore.failing_writes > 0:
            FaultyStore.failing_writes -= 1
            raise ConnectionResetError("Connection reset by peer")
        super().put_file(local, path, **options)

    @classmethod
    def put(cls, address: str, data: bytes) -> None:
        """Leave a file there."""
        cls().pipe_file(address, data)


fsspec.register_implementation("faulty", FaultyStore, clobber=True)
