"""`python -m tbprof.preflight.proof.one_side TASK`: the process that runs one side once."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import ExitStack
from pathlib import Path

import torch
from torch.optim import optimizer as optimizers

from tbprof.errors import TbprofError
from tbprof.preflight.fits.following import Follower
from tbprof.preflight.fits.peak import peak_of
from tbprof.preflight.patch import Patch, applied
from tbprof.preflight.proof.guard import Guard, modules_from
from tbprof.preflight.proof.reached import Reached
from tbprof.preflight.proof.record import (
    VERSION,
    SideRecord,
    Task,
    read_record,
    read_task,
    write_record,
)
from tbprof.preflight.proof.sides import on_this_side
from tbprof.preflight.proof.witness import Witness, in_another_order
from tbprof.preflight.session import Preflight
from tbprof.preflight.watching.mode import RUNNERS
from tbprof.program.main_program import program_frames, run_program, seed_all


def run_side(task: Task) -> SideRecord:
    """Run it in this process, which is of no use for anything else afterwards.

    Raises:
        TbprofError: The program can't be run.
    """
    original, root = Path(task.original), Path(task.root)
    against = read_record(Path(task.against)) if task.against else None
    witness, reached = Witness(task, against), Reached(task)
    guard = Guard(original, root, task.links, Path(task.record).resolve())
    preflight = Preflight(
        task.steps, step_on=task.step_on, time_limit=task.time_limit, program=task.program, force=True
    )
    preflight.look_at_steps(witness.look)
    os.chdir(task.folder)
    sys.path[:] = [on_this_side(entry, original, root) for entry in sys.path]
    world = [int(os.environ.get("WORLD_SIZE", "1"))]
    try:
        with ExitStack() as stack:
            if task.threads is not None:
                torch.set_num_threads(task.threads)
                handle = optimizers.register_optimizer_step_pre_hook(_with_another_implementation)
                stack.callback(handle.remove)
            follower = Follower() if task.values_from is None else None
            if follower is not None:
                stack.enter_context(follower.hooks())
            stack.enter_context(witness.watching())
            decorate = preflight.decoration()
            stack.enter_context(preflight)
            if follower is not None:
                stack.enter_context(follower.following())
            if task.threads is not None:
                RUNNERS.append(in_another_order())
            stack.enter_context(applied(Patch("torch", "save", guard.saving)))
            stack.enter_context(witness.inside())
            witness.listener.start()
            guard.start()
            stack.callback(guard.stop)
            seed_all()
            stack.enter_context(reached.following())
            try:
                run_program(task.program, task.arguments, is_module=task.is_module, decorate=decorate)
            finally:
                if torch.distributed.is_available() and torch.distributed.is_initialized():
                    world.append(torch.distributed.get_world_size())
    except (Exception, SystemExit) as error:
        if not preflight.has_ended or isinstance(error, TbprofError):
            raise
        traceback.print_exception(type(error), error, program_frames(error.__traceback__))
    peak = None if follower is None else peak_of(follower.log)
    return SideRecord(
        version=VERSION,
        prediction=preflight.prediction,
        steps=tuple(witness.steps),
        batches=tuple(witness.batches),
        inputs=tuple(witness.inputs),
        said=tuple(witness.listener.said),
        operators=tuple(witness.operators),
        world_size=max(world),
        faults=(*reached.faults(), *witness.faults, *guard.faults),
        undetermined=tuple(witness.undetermined),
        refused=tuple(guard.refused),
        from_outside=modules_from(original, root),
        peak_bytes=None if peak is None else peak.allocated_bytes,
        pinned=tuple(witness.pinned),
        turns=witness.turns,
        unproved=tuple(dict.fromkeys(reached.unproved())),
    )


def _with_another_implementation(optimizer: object, *_: object) -> None:
    """Torch's fused one in the place of another: it rounds less often."""
    for group in getattr(optimizer, "param_groups", ()):
        if "fused" in group and not getattr(optimizer, "state", None):
            group["fused"] = not group["fused"]


def main() -> int:
    """Run the task of the first argument, and write its record."""
    task = read_task(sys.argv[1])
    write_record(Path(task.record), run_side(task))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
