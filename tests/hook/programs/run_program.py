"""Runs one program, watched or not, and writes what can be seen afterwards:
`run_program.py MODULE FUNCTION VARIANT FOLDER`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path

if __name__ == "__main__":
    module, function, variant, folder = sys.argv[1:]
    sys.path[1:1] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "unchanged")]
    import seen_process
    from seen_values import digest, seed
    from watching import watch_as

    program = getattr(importlib.import_module(module), function)
    watch = watch_as(variant, Path(folder))
    seed()
    begun = os.getpid()
    before = seen_process.visible()
    result = None
    try:
        result = program(watch)
    finally:
        if os.getpid() == begun:
            seen = {"result": digest(result), **seen_process.left_of(before)}
            if os.environ.get("SEEN_RESULT"):
                # To find what differs.
                (Path(folder) / "result.txt").write_text(repr(result), encoding="utf-8")
            (Path(folder) / "seen.json").write_text(json.dumps(seen, indent=1), encoding="utf-8")
