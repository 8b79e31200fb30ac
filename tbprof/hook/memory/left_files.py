"""Files of memory beside the windows of a run: each appears whole, and there are never many.

Windows are limited where they are published, and these files with them. A run that fails before it has any
publishes nothing, and one that is started again and again fails as often.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path

from tbprof.file_names import PIN_NAME
from tbprof.model import MemoryStep, OutOfMemory
from tbprof.safe_open import replace_whole


def leave_file(
    found: MemoryStep | OutOfMemory | bytes, path: Path, kept: int, *, of_all_workers: bool
) -> None:
    """Write it, whole or not at all, and keep no more than so many of its kind, of which it is the newest.

    Args:
        found: What the file is to say, or holds as it is.
        path: `<worker>.<time>` and the suffix of its kind.
        kept: Most files of that kind, unless the run is pinned.
        of_all_workers: Whether those of other workers count.

    Raises:
        OSError: It could not be written.
    """
    content = found if isinstance(found, bytes) else json.dumps(dataclasses.asdict(found)).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_whole(path, content)
    with contextlib.suppress(OSError):
        if not (path.parent / PIN_NAME).exists():
            for older in _like_it(path, of_all_workers=of_all_workers)[:-kept]:
                older.unlink(missing_ok=True)


def _like_it(path: Path, *, of_all_workers: bool) -> list[Path]:
    """Those of the same kind, the oldest first."""
    worker, _, suffix = path.name.split(".", 2)
    found = []
    for other in path.parent.iterdir():
        named, _, rest = other.name.partition(".")
        time, _, kind = rest.partition(".")
        if kind == suffix and time.isdecimal() and (of_all_workers or named == worker):
            found.append((int(time), other))
    return [other for _, other in sorted(found)]
