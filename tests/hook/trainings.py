"""A training with the hook, and what it published."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tbprof

Step = Callable[[], float]


def train(hook: tbprof.TrainerHook, training_step: Step, steps: int) -> list[float]:
    losses = []
    for _ in range(steps):
        losses.append(training_step())
        hook.step()
    return losses


def published(logdir: Path) -> list[dict[str, Any]]:
    """The published raw traces, in the order of their windows."""
    return [json.loads(gzip.decompress(path.read_bytes())) for path in sorted(logdir.glob("*.trace.json.gz"))]


def facts_in(logdir: Path) -> list[dict[str, Any]]:
    """The hook's facts of each published window."""
    return [trace["tbprof"] for trace in published(logdir)]


def published_soon(logdir: Path) -> list[dict[str, Any]]:
    """The same where the hook did not wait for it."""
    deadline = time.monotonic() + 60
    while not list(logdir.glob("*.trace.json.gz")) and time.monotonic() < deadline:
        time.sleep(0.05)
    return published(logdir)
