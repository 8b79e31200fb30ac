"""`python -m tbprof.demo --logdir DIR`: train the same classifier before and after its fixes.

What happens is printed on stdout, a line each, for the command that started it: `step RUN NUMBER OF`,
`publish RUN`, and `done RUN LOSS` once the run can be read.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from tbprof.demo import after, before
from tbprof.demo.training import Job, MakeLoss, job_for, train
from tbprof.errors import UsageError

_RUNS: tuple[tuple[str, MakeLoss], ...] = (("before", before.PatchLoss), ("after", after.PatchLoss))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train twice, into `DIR/before` and `DIR/after`; 0, or 2 with a sentence on stderr."""
    parser = argparse.ArgumentParser(prog="python -m tbprof.demo", description=main.__doc__)
    parser.add_argument("--logdir", type=Path, required=True, help="log directory of both runs")
    parser.add_argument("--steps", type=int, help="training steps of each run")
    asked_for = parser.parse_args(arguments)
    try:
        job = job_for(asked_for.steps)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    # The command says what the runs show, and only once.
    logging.getLogger("tbprof").setLevel(logging.WARNING)
    for name, make_loss in _RUNS:
        _tell(f"done {name} {_loss(job, name, make_loss, asked_for.logdir):.6f}")
    return 0


def _loss(job: Job, name: str, make_loss: MakeLoss, logdir: Path) -> float:
    return train(
        job,
        make_loss,
        logdir / name,
        after_step=lambda step: _tell(f"step {name} {step} {job.steps}"),
        before_publishing=lambda: _tell(f"publish {name}"),
    )


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
