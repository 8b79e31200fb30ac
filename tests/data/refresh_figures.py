"""Write the figures that Python and TypeScript have to agree on: `python tests/data/refresh_figures.py`.

A test compares them with what Python makes today, another with what TypeScript makes.
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

from figures import TABLE, figures, written

if __name__ == "__main__":
    TABLE.write_text(written(figures()), encoding="utf-8")
