"""`python -m tbprof.demo --logdir DIR`: train the same classifier before and after its fixes."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from tbprof.demo import after, before
from tbprof.demo.training import job_for, train
from tbprof.errors import UsageError

__all__ = ["main"]

logger = logging.getLogger("tbprof")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train twice, into `DIR/before` and `DIR/after`; 0, or 2 with a sentence on stderr."""
    parser = argparse.ArgumentParser(prog="python -m tbprof.demo", description=main.__doc__)
    parser.add_argument("--logdir", type=Path, required=True, help="log directory of both runs")
    parser.add_argument("--steps", type=int, help="training steps of each run")
    asked_for = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        job = job_for(asked_for.steps)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for name, make_loss in (("before", before.PatchLoss), ("after", after.PatchLoss)):
        logger.info("Training %s: %d steps on %s", name, job.steps, job.device)
        loss = train(job, make_loss, asked_for.logdir / name)
        logger.info("Loss %s: %.6f", name, loss)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
