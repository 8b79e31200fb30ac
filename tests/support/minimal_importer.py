"""An importer at its smallest: what a format needs to be read as traces are."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.columns.columns import Category, Lane, Slices, Trace
from tbprof.trace.importers.source import open_source


class Spans:
    """Files of lines `name,start in us,end in us`, behind a head; as a module of an importer would be."""

    SUFFIXES, CLAIMS = (".csv",), (".spans.",)

    def sniff(self, head: bytes) -> bool:
        return head.startswith(b"name,start,end")

    def read(self, path: str | os.PathLike[str], **_: Any) -> Trace:
        with open_source(path) as source:
            buffer = memoryview(bytearray(1 << 16))
            content = b"".join(bytes(buffer[:count]) for count in iter(lambda: source.readinto(buffer), 0))
        rows = [line.split(",") for line in content.decode().splitlines()[1:]]
        start_ns, end_ns = (np.array([row[at] for row in rows], np.int64) * 1000 for at in (1, 2))
        numbers = np.zeros(len(rows), np.int32)
        return Trace(
            path=str(path),
            slices=Slices(
                start_ns=start_ns,
                duration_ns=end_ns - start_ns,
                name=np.arange(len(rows), dtype=np.int32),
                category=np.full(len(rows), Category.CPU_OP, np.int8),
                lane=numbers,
                correlation=np.full(len(rows), -1),
            ),
            names=tuple(name for name, *_ in rows),
            lanes=(Lane("0", "0", ""),),
            health=(HealthFact("truncated", "warning", {}),) if source.damaged else (),
        )
