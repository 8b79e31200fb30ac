"""`python -m tbprof.command_process MODULE ...`: the process of a command whose module needs torch.

To import such a module takes seconds, in which one may think better of it.
"""

from __future__ import annotations

import sys
from importlib import import_module

from tbprof.standard_streams import open_closed_streams

_COULD_NOT, _INTERRUPTED = 2, 130


def main() -> int:
    """Import the module that the first argument names, and `run` it with the others."""
    open_closed_streams()
    name = sys.argv.pop(1)
    try:
        try:
            module = import_module(name)
        except ModuleNotFoundError as error:
            if error.name != "libcst":
                raise
            sys.stderr.write("tbprof: edits need libcst: pip install 'tbprof[fix]'\n")
            return _COULD_NOT
        code: int = module.run()
    except KeyboardInterrupt:
        sys.stderr.write("tbprof: interrupted\n")
        return _INTERRUPTED
    return code


if __name__ == "__main__":
    raise SystemExit(main())
