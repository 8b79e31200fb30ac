"""What the page Fleet shows: a row a run."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Sequence
from typing import Literal, TypeAlias

from tbprof.escaping import inert
from tbprof.records import dataclass

FleetSort: TypeAlias = Literal[
    "wasted",
    "run",
    "owner",
    "commit",
    "recorded",
    "gpus",
    "watched",
    "goodput",
    "busy",
    "communication",
    "idle",
    "change",
    "alarm",
]
"""What rows are sorted by."""


@dataclass(frozen=True, slots=True)
class FleetCause:
    cause: str
    name: str
    share: float
    """The share of the steps, 0 to 1."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """A run by the newest window of each of its ranks. Shares are of the steps; null is not recorded."""

    run: str
    name: str
    """The run; with the worker where recordings in one folder are no ranks of one job."""
    worker: str
    """With the window, what a click on the run opens: the rank that the top line costs most."""
    window: str
    state: Literal["ready", "unread", "broken"]
    """Without figures: its trace was not read yet, or gives nothing."""
    problem: str
    """Why it gives nothing; of one with figures which of its ranks give nothing, are damaged or missing."""
    owner: str | None
    """The first folder below the log directory; of a run that lies in it itself, who owns the newest file."""
    commit: str | None
    runs: int
    """How many runs of one program with the same top line it stands for: it is the newest."""
    recorded_s: int
    """When the newest window was, in seconds since 1970."""
    ranks: int
    windows: int
    gpus: int | None
    """The number used at once: runs one after the other use the same ones. Null where none was recorded, or
    where it was and its work is missing from the file."""
    is_judged: bool
    """Whether all that a GPU did is there to be judged; of a recording without one, too."""
    watched_s: float | None
    """The time from the beginning of the first window to the end of the last, of all its runs."""
    gpu_s: float | None
    """The same summed over the GPUs."""
    goodput: float | None
    """The share of its whole time that was steps as usual, 0 to 1; null where the hook noted none."""
    step_us: float | None
    busy: float | None
    communication: float | None
    copying: float | None
    idle: float | None
    idle_gpu_h: float | None
    """The GPU-hours that are idle in a day at this rate: runs are ranked by them."""
    causes: tuple[FleetCause, ...]
    """The causes of idle, as they are stacked."""
    job: str
    """What the page of the job says first; "" of a run whose ranks are not compared."""
    is_of_job: bool
    """Whether the top line is what a late rank is to change first."""
    top_rule: str
    """What costs most; "" where nothing does, where to record again comes first, or `is_judged` is false."""
    top_action: str
    """"" where nothing is worth a change."""
    top_place: str
    top_site: int | None
    top_gpu_h: float | None
    """What the top line costs, in GPU-hours a day at this rate."""
    is_estimate: bool
    """Whether that is an estimate; else at most so much."""
    before: str | None
    """The run before it that it is compared with; null where there is none."""
    change: float | None
    """The change of the step since then, 0.1 for a tenth longer."""
    is_alarm: bool
    """Whether another commit than that of the run before added a wait."""
    alarm: str
    """What was added, or why nobody can tell; "" where nothing was."""


@dataclass(frozen=True, slots=True)
class FleetView:
    verdict: str
    detail: str
    rows: tuple[FleetRow, ...]
    """A page of those that were found."""
    first: int
    """Place of the first of them in line, from 0 on."""
    found: int
    total: int
    """The number of all runs."""
    reading: int
    """Windows that are still to be read."""
    windows: int
    """The number of all windows; 0 where all are read before."""
    is_stopped: bool
    """Whether their traces are left unread until somebody opens them, or lets the reading go on."""


_CAUSES = "causes"


def fleet_csv(rows: Sequence[FleetRow]) -> str:
    """With a head, and a column a cause of idle; what is not known is empty."""
    names = [field.name for field in dataclasses.fields(FleetRow) if field.name != _CAUSES]
    causes = list(dict.fromkeys(cause.cause for row in rows for cause in row.causes))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*names, *(inert(f"idle_{cause}") for cause in causes)])
    for row in rows:
        shares = {cause.cause: cause.share for cause in row.causes}
        cells = [getattr(row, name) for name in names] + [shares.get(cause) for cause in causes]
        table.writerow([inert(cell) for cell in cells])
    return text.getvalue()
