"""`python -m tbprof.preflight train.py -- ...`: what `tbprof preflight` starts.

Exit codes: 0 fine; 1 what `--fail-on` or `--budget` asked for was found; 2 the program or a process
of it failed, or can't be run without a GPU (what was found until there is printed); 3 preflight does
not understand this torch; 130 it was interrupted (what was found is printed then, too).
"""

from __future__ import annotations

import sys

from tbprof.standard_streams import open_closed_streams


def main() -> int:
    """Run a program and print what it would wait for."""
    open_closed_streams()
    try:
        # Importing torch takes seconds, in which one may think better of it.
        from tbprof.preflight.command import run
    except KeyboardInterrupt:
        sys.stderr.write("tbprof: interrupted before the program began\n")
        return 130
    return run()


if __name__ == "__main__":
    raise SystemExit(main())
