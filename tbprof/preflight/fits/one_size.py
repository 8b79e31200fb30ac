"""`python -m tbprof.preflight.fits.one_size`: the process that runs the program with one batch size."""

from __future__ import annotations

import dataclasses
import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tbprof.errors import TbprofError, UsageError
from tbprof.preflight.fits.batch_size import VARIABLE, loaders_resized
from tbprof.preflight.fits.following import Follower
from tbprof.preflight.fits.peak import Peak, peak_of
from tbprof.preflight.prediction import ENDED_WELL, Prediction
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


_ITSELF = (0, slice(None, 1))


class ReadArguments(list[str]):
    """Stands for `sys.argv`. The first, which is no argument, is read by Python itself."""

    was_read = False

    def __getitem__(self, at: Any) -> Any:
        self.was_read = self.was_read or at not in _ITSELF
        return super().__getitem__(at)

    def __iter__(self) -> Any:
        self.was_read = True
        return super().__iter__()

    def __contains__(self, one: object) -> bool:
        self.was_read = True
        return super().__contains__(one)

    def __add__(self, others: Any) -> Any:
        self.was_read = True
        return super().__add__(others)

    def copy(self) -> list[str]:
        self.was_read = True
        return super().copy()

    def pop(self, *at: Any) -> str:
        self.was_read = True
        return super().pop(*at)

    def index(self, *one: Any) -> int:
        self.was_read = True
        return super().index(*one)


Verdict: TypeAlias = Literal["fits", "may fit", "does not fit"]

_CONTEXT_LOW, _CONTEXT_HIGH = 250_000_000, 1_400_000_000
"""The memory of a process that has done nothing yet but load CUDA and kernels: the high one is the 1,343 MB
that Hugging Face's "Model training anatomy" reads from the driver; where kernels are loaded as they are
needed (CUDA 11.7 and later) it is some hundreds of MB. An assumption, not a bound."""
_CUBLAS_WORKSPACES = 2 * 32 * 1024 * 1024
"""The workspaces of the handles of the forward and the backward thread: `getChosenWorkspaceSize` of torch's
aten/src/ATen/cuda/CublasHandlePool.cpp gives each 32 MiB on Hopper, and less elsewhere."""


@dataclass(frozen=True, slots=True)
class Outcome:
    batch: int
    steps: int
    """The number of steps that were taken."""
    error: str
    """Why there is less, or nothing; "" for a run that ended well."""
    peak: Peak | None
    is_refusal: bool = False
    """Whether it would be the same with every other size."""


@dataclass(frozen=True, slots=True)
class Line:
    """Through a figure of the smallest and the largest batch."""

    per_sample_bytes: float
    fixed_bytes: float

    def samples_in(self, size_bytes: int) -> int:
        """The samples that take so much; a figure that grows with the batch."""
        return max(int((size_bytes - self.fixed_bytes) / self.per_sample_bytes), 0)


@dataclass(frozen=True, slots=True)
class Growth:
    """The growth of the peak."""

    allocated: Line
    reserved: Line
    """In whole segments, and what operators have inside: of small batches it may be the same."""

    def largest_batches(self, device_bytes: int) -> tuple[int, int]:
        """What fits even with all that may be needed, and what with the least; `allocated` has to grow."""
        most = self.allocated.samples_in(device_bytes - _CONTEXT_LOW)
        surely = self.reserved if self.reserved.per_sample_bytes > 0 else self.allocated
        least = surely.samples_in(device_bytes - _CONTEXT_HIGH - _CUBLAS_WORKSPACES)
        return min(least, most), most


def growth_of(outcomes: Sequence[Outcome]) -> Growth | None:
    """None where fewer than two sizes are known."""
    known = {one.batch: one.peak for one in outcomes if one.peak is not None and not one.error}
    if len(known) < 2:
        return None
    small, large = min(known), max(known)

    def through(first_bytes: int, last_bytes: int) -> Line:
        slope = (last_bytes - first_bytes) / (large - small)
        return Line(slope, first_bytes - slope * small)

    return Growth(
        through(known[small].allocated_bytes, known[large].allocated_bytes),
        through(_with_inside(known[small]), _with_inside(known[large])),
    )


def needed_bytes(peak: Peak) -> tuple[int, int]:
    """The bytes of the whole process, the least and the most that is to be expected.

    What an operator of the CPU has inside stands for what a GPU's may have, and counts in the most only.
    """
    most = _with_inside(peak) + _CONTEXT_HIGH + _CUBLAS_WORKSPACES
    return peak.allocated_bytes + _CONTEXT_LOW, most


def _with_inside(peak: Peak) -> int:
    return peak.reserved_bytes + peak.running_bytes - peak.requested_bytes


def verdict_of(peak: Peak, device_bytes: int) -> Verdict:
    least, most = needed_bytes(peak)
    if most <= device_bytes:
        return "fits"
    return "may fit" if least <= device_bytes else "does not fit"


def outcome_from(values: Mapping[str, object]) -> Outcome:
    """What `dataclasses.asdict` made of one."""
    peak = values["peak"]
    given = {**values, "peak": Peak(**peak) if isinstance(peak, dict) else None}
    return Outcome(**given)  # type: ignore[arg-type]


if __name__ == "__main__":
    raise SystemExit(main())
