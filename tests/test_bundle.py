"""What a browser loads before the first view can be drawn stays small."""

from __future__ import annotations

import gzip
import pathlib
import re

import pytest

STATIC = pathlib.Path(__file__).parents[1] / "tbprof" / "static"

FIRST_VIEW_BYTES = 64_000
"""Of all scripts of the first view, compressed as the server does; a view of its own is loaded when it is
opened (`lazily` in `plugin_frontend/src/views`)."""

_IMPORTED = re.compile(r"""(?:\bfrom|\bimport)\s*["'](\./[^"']+\.js)["']""")
"""Not `import("./x.js")`: that is loaded later."""


def first_loaded(entry: pathlib.Path) -> set[pathlib.Path]:
    """The script and what it imports before it runs."""
    found, waiting = set[pathlib.Path](), [entry]
    while waiting:
        script = waiting.pop()
        found.add(script)
        imported = _IMPORTED.findall(script.read_text(encoding="utf-8"))
        waiting += {(script.parent / name).resolve() for name in imported} - found
    return found


def test_the_first_view_loads_no_more_than_its_budget() -> None:
    entry = STATIC / "index.js"
    if not entry.is_file():
        pytest.skip("the frontend is not built: run `npm run build` in plugin_frontend")
    scripts = first_loaded(entry.resolve())
    assert len(scripts) > 1, "the shared parts are a script of their own"
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 9)) for path in scripts}
    assert sum(sizes.values()) <= FIRST_VIEW_BYTES, sizes
    assert len(sizes) < len(list((STATIC / "assets").glob("*.js"))), "every view is loaded at once"
