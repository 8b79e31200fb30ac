"""`python -m tbprof.preflight.fix PROGRAM ...`: what `tbprof fix` starts."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from tbprof.standard_streams import open_closed_streams

_COULD_NOT, _INTERRUPTED = 2, 130


def main() -> int:
    """Offer edits that are proved."""
    open_closed_streams()
    if find_spec("libcst") is None:
        sys.stderr.write("tbprof: edits need libcst: pip install 'tbprof[fix]'\n")
        return _COULD_NOT
    try:
        from tbprof.preflight.fix.command import run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("tbprof: interrupted\n")
        return _INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
