"""numpy without threads: to start them takes as long as half of its import, and nothing here needs them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""The environment in which no library of linear algebra starts threads."""


@contextmanager
def one_thread() -> Iterator[None]:
    """What is imported inside starts no threads; a choice of the user's stands. Nothing is left behind."""
    added = [name for name in ONE_THREAD if name not in os.environ]
    os.environ.update({name: ONE_THREAD[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)
