"""Two measurements that `torch.utils.benchmark` made and somebody pickled, compared as they are."""

from __future__ import annotations

import math
from pathlib import Path

from tbprof.errors import SnapshotError, UsageError
from tbprof.experiment.estimator import Estimate, estimate
from tbprof.plain_pickle import Plain, read_plain_pickle

_RECORDS = tuple(f"torch.utils.benchmark.utils.common.{name}" for name in ("Measurement", "TaskSpec"))


def are_measurements(names: tuple[str, str]) -> bool:
    return all(name.endswith((".pkl", ".pickle", ".pt")) and Path(name).is_file() for name in names)


def times_of(path: Path) -> list[float]:
    """Seconds of one run, of each repetition, in a file with one measurement or several of one task.

    Raises:
        UsageError: The file holds something else.
    """
    try:
        value = read_plain_pickle(path.read_bytes(), _RECORDS)
    except (SnapshotError, OSError) as error:
        raise UsageError(f"{path}: {error}") from error
    found: list[Plain] = value if isinstance(value, list) else [value]
    try:
        times = [time / one["number_per_run"] for one in found for time in one["raw_times"]]
        tasks = {tuple(map(str, one["task_spec"].values())) for one in found}
    except (TypeError, KeyError, ZeroDivisionError, AttributeError):
        raise UsageError(f"{path} holds no Measurement of torch.utils.benchmark") from None
    if len(tasks) != 1:
        raise UsageError(f"{path} holds measurements of {len(tasks)} tasks: give a file with one")
    if not all(isinstance(time, float) and 0 < time < math.inf for time in times):
        raise UsageError(f"{path} holds times that are none")
    return times


def compared(before: list[float], after: list[float]) -> Estimate | None:
    """The difference of two series that were not taken in turns; None of too few repetitions."""
    found = [estimate([math.log(time) for time in times]) for times in (before, after)]
    if found[0] is None or found[1] is None:
        return None
    middle = found[1].log_ratio - found[0].log_ratio
    reach = math.hypot(found[0].half_width, found[1].half_width)
    return Estimate(middle, middle - reach, middle + reach, min(len(before), len(after)))
