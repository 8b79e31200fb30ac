"""The hook as a program makes it, or nothing in its place."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tbprof
from tbprof.hook import publishing
from tbprof.process.detached import Detached

Watch = Callable[..., Any]
"""Makes a hook, or what stands for it where nothing watches."""

SCHEDULE = tbprof.Schedule.at(3, 15, warmup=1, active=2)
"""In 16 steps: one window with all that follows it, and one that the training's end cuts short."""

EVERYTHING = {"memory": True, "record_inputs": True, "with_stack": True, "profile_memory": True}

VARIANTS: dict[str, dict[str, Any] | None] = {"alone": None, "defaults": {}, "everything": EVERYTHING}


class Nobody:
    """Watches nothing."""

    def __enter__(self) -> Nobody:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def step(self, *count: object) -> None:
        pass

    def close(self, wait_s: float = 0.0) -> None:
        pass

    def pause(self) -> None:
        pass

    def resume(self, steps_taken: int | None = None) -> None:
        pass

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:  # noqa: ARG002 - as the hook's
        yield


def watch_as(variant: str, folder: Path) -> Watch:
    """What a program calls for its hook; `variant` may end in `, published`, and windows are then."""
    name, _, is_published = variant.partition(", ")
    options = VARIANTS[name]
    if options is None:
        return lambda **_: Nobody()
    if not is_published:
        # Analyzing a window takes longer than all that is looked at here.
        publish_nothing()

    def watch(**own: Any) -> tbprof.TrainerHook:
        return tbprof.TrainerHook(folder / "logs", **{"schedule": SCHEDULE, "worker": "w", **options, **own})

    return watch


def publish_nothing() -> None:
    """Leave windows where they were recorded."""
    publishing.start_child = lambda *_: _Over()


class _Over(Detached):
    """A publishing process that has ended."""

    pid = None
    exit_code = 0

    def has_ended(self) -> bool:
        return True

    def wait(self, wait_s: float) -> bool:  # noqa: ARG002 - as it is asked
        return True

    def kill(self) -> None:
        pass

    def leave(self) -> None:
        pass
