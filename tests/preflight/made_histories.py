"""Makes histories of git with a commit that brings a site, by `git fast-import`."""

from __future__ import annotations

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

COMMITS = 64

PROGRAM = """import torch
from torch import nn

{notes}
model = nn.Linear(8, 4).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr={rate})
limit = torch.ones((), device="cuda")
for step in range(9):
{upload}
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
{log}
"""

SITES = {
    "read": "    print(step, loss.item())",
    "branch": "    if loss > limit:\n        print('high')",
    "to the host": "    history = loss.detach().cpu()",
    "nonzero": "    rows = (x > 0).nonzero()",
    "synchronize": "    torch.cuda.synchronize()",
}
"""Lines that wait, by what they do; each has its rule in `RULES`."""
RULES = {
    "read": "SYN01",
    "branch": "SYN02",
    "to the host": "SYN04",
    "nonzero": "SYN03",
    "synchronize": "SYN06",
}
BROKEN = "import no_such_module\n"


@dataclass(frozen=True)
class History:
    site: str
    """What the commit brings."""
    at: int
    """The number of that commit; 0 is the first of all."""
    has_others: bool
    """Whether there are lines that wait from the first commit on."""
    broken: tuple[int, ...]
    """Commits that do not run."""

    @classmethod
    def made(cls, seed: int, *, broken: int = 0) -> History:
        rng = random.Random(f"history {seed}")
        at = rng.randrange(1, COMMITS)
        others = [each for each in range(1, COMMITS - 1) if each not in (at - 1, at)]
        return cls(
            rng.choice(sorted(SITES)), at, rng.random() < 0.5, tuple(sorted(rng.sample(others, broken)))
        )

    def source(self, number: int) -> str:
        """The program of a commit; each differs from the one before."""
        lines = ["    pass"] if number % 2 else []
        lines += ["    print(loss.item())"] if self.has_others else []
        lines += [SITES[self.site]] if number >= self.at else []
        return (BROKEN if number in self.broken else "") + PROGRAM.format(
            notes="\n".join(f"# Note {each}." for each in range(number % 7)),
            rate=f"0.{number + 10}",
            upload='    x = torch.ones(4, 8, device="cuda")',
            log="\n".join(lines) or "    pass",
        )


def write_history(history: History, folder: Path) -> list[str]:
    """The hashes of its commits, the oldest first."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    stream = []
    for number in range(COMMITS):
        subject, source = f"Change {number}", history.source(number)
        stream.append(
            f"commit refs/heads/main\nmark :{number + 1}\ncommitter n <n@example.com> {number} +0000\n"
            f"data {len(subject)}\n{subject}\nM 644 inline train.py\ndata {len(source.encode())}\n{source}\n"
        )
    git = ["git", "-C", str(folder)]
    subprocess.run([*git, "fast-import", "--quiet"], input="".join(stream), text=True, check=True)
    subprocess.run([*git, "reset", "-q", "--hard"], check=True)
    listed = subprocess.run(
        [*git, "rev-list", "--reverse", "main"], check=True, text=True, capture_output=True
    )
    return listed.stdout.split()
