"""`python -m tbprof.preflight.fits.one_size`: the process that runs the program with one batch size."""

from __future__ import annotations

import dataclasses
import json
import sys
import traceback
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tbprof.errors import TbprofError, UsageError
from tbprof.preflight.fits.batch_size import VARIABLE, loaders_resized
from tbprof.preflight.fits.following import Follower
from tbprof.preflight.fits.outcome import Outcome
from tbprof.preflight.fits.peak import peak_of
from tbprof.preflight.fits.read_arguments import ReadArguments
from tbprof.preflight.prediction.prediction import ENDED_WELL, Prediction
from tbprof.preflight.session import Preflight
from tbprof.program.main_program import program_frames, run_program

_NO_GPU = (
    "nothing was put on a GPU; the program has to choose its device as it does where there is one, such as "
    "by torch.cuda.is_available()"
)


@dataclass(frozen=True, slots=True)
class Task:
    program: str
    arguments: tuple[str, ...]
    is_module: bool
    batch: int
    replaces_loaders: bool
    flag: str
    """The program's argument that holds the batch size; "" where none does."""
    steps: int
    time_limit: float | None


def followed(task: Task) -> Outcome:
    """Run the program in this process, and say what it would have needed.

    Raises:
        TbprofError: It can't be run, or its batch size can't be changed.
    """
    follower, given = Follower(), list[ReadArguments]()

    def argv(words: list[str]) -> list[str]:
        given.append(ReadArguments(words))
        return given[0]

    preflight = Preflight(task.steps, warmup=0, time_limit=task.time_limit, program=task.program, force=True)
    try:
        with ExitStack() as stack:
            if task.replaces_loaders:
                stack.enter_context(loaders_resized(task.batch))
            stack.enter_context(follower.hooks())
            stack.enter_context(preflight)
            stack.enter_context(follower.following())
            run_program(task.program, task.arguments, is_module=task.is_module, argv=argv)
    except (Exception, SystemExit) as error:
        if not preflight.has_ended or isinstance(error, TbprofError):
            raise
        traceback.print_exception(type(error), error, program_frames(error.__traceback__))
    if task.flag and given and not given[0].was_read:
        raise UsageError(
            f"its batch size is not known: it looks at none of its arguments, so {task.flag} changes nothing;"
            f" let it read {VARIABLE} from the environment"
        )
    peak, trouble = peak_of(follower.log), _trouble(preflight.prediction)
    return Outcome(task.batch, follower.steps, trouble or ("" if peak else _NO_GPU), peak)


def _trouble(prediction: Prediction) -> str:
    if prediction.ending in ENDED_WELL:
        return ""
    return prediction.error or f"the program ended early ({prediction.ending})"


def main() -> int:
    """Run the task of the first argument, and write what is known to the file of the second."""
    # Before the program has arguments of its own there.
    given, file = json.loads(sys.argv[1]), Path(sys.argv[2]).absolute()
    task = Task(**{**given, "arguments": tuple(given["arguments"])})
    try:
        outcome = followed(task)
    except TbprofError as error:
        outcome = Outcome(task.batch, 0, str(error), None, is_refusal=True)
    file.write_text(json.dumps(dataclasses.asdict(outcome)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
