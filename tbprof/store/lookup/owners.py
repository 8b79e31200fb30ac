"""Who owns a file, by name."""

from __future__ import annotations

import functools
import os
import sys

if sys.platform != "win32":
    import pwd

from tbprof.remote.placeholders import is_mirrored


def owner_of(path: str) -> str | None:
    """The name or number of its user; None where the system knows no owner, no such file, or it is remote."""
    if is_mirrored(path):
        return None
    try:
        user = os.stat(path).st_uid  # noqa: PTH116 - of thousands; a Path takes three times as long
    except OSError:
        return None
    return _name(user)


@functools.cache
def _name(user: int) -> str | None:
    if sys.platform == "win32":
        return None
    else:  # noqa: RET505 - mypy takes what follows a plain `if` for unreachable
        try:
            return pwd.getpwuid(user).pw_name
        except KeyError:
            return str(user)
