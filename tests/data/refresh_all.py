"""Write all that shows the samples again: `python tests/data/refresh_all.py`.

These are the reports beside them, README's example and its pictures, and the answers of `npm run dev`.
"""

from __future__ import annotations

import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).parents[1]
COMMANDS = (
    ("data/refresh_samples.py",),
    ("data/refresh_readme.py",),
    ("data/refresh_dev_answers.py",),
    ("e2e/take_pictures.py", "readme"),
)
"""Each may show what the one before it wrote."""


def refresh() -> None:
    for script, *arguments in COMMANDS:
        subprocess.run([sys.executable, TESTS / script, *arguments], check=True)


if __name__ == "__main__":
    refresh()
