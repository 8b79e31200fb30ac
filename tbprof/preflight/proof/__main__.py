"""`python -m tbprof.preflight.proof BEFORE AFTER ...`: what `tbprof prove` starts."""

from __future__ import annotations

import sys

from tbprof.standard_streams import open_closed_streams

_INTERRUPTED = 130


def main() -> int:
    """Prove a change, and print the verdict."""
    open_closed_streams()
    try:
        # To import it takes a moment, in which one may think better of it.
        from tbprof.preflight.proof.command import run

        return run()
    except KeyboardInterrupt:
        sys.stderr.write("tbprof: interrupted\n")
        return _INTERRUPTED


if __name__ == "__main__":
    raise SystemExit(main())
