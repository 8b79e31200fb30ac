"""Reads one stretch: `python -m tbprof.trace.stretch_process FILE INDEX COUNT` writes a pickled `Piece`."""

from __future__ import annotations

import pickle
import sys

from tbprof.trace.stretch import Stretch, read_stretch


def main() -> None:
    """Read what the arguments name."""
    path, index, count = sys.argv[1:]
    pickle.dump(read_stretch(path, Stretch(int(index), int(count))), sys.stdout.buffer, protocol=5)


if __name__ == "__main__":
    main()
