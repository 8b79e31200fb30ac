"""What the pages of tables show: a table by columns, and what is known of one of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.views.answer import Problem, Progress


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A cell a row, null where that is not known."""

    key: str
    head: str
    about: str
    """What it holds; "" where the head says it all."""
    kind: Literal["text", "count", "us", "share", "number", "bytes", "flag"]
    is_first: bool
    """Whether it is shown before anyone chose."""
    texts: tuple[str | None, ...] | None
    """The texts of a column of the kind `text`; else null, and there are numbers, unless they are left
    out."""
    numbers: tuple[float | None, ...] | None
    """A flag is 0 or 1."""
    scale: int
    """What each number is to be divided by: times come in ns, shares in millionths, as whole numbers are read
    several times faster than others."""


@dataclass(frozen=True, slots=True)
class TableChoice:
    """What the rows can be grouped by."""

    by: str
    missing: str
    """Why it is not offered; "" where it is."""


@dataclass(frozen=True, slots=True)
class DurationBin:
    from_us: float
    below_us: float | None
    calls: int
    total_us: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """A histogram of kernels by how long they take."""

    short_below_us: float
    short_calls: int
    short_us: float
    bins: tuple[DurationBin, ...]


@dataclass(frozen=True, slots=True)
class SequenceRow:
    """Kernels that follow each other on a stream again and again."""

    kernels: tuple[str, ...]
    """Short names."""
    count: int
    saved_launches: int
    """Were each of them one launch."""
    total_us: float
    between_us: float
    """The time from the end of one kernel to the start of the next."""


@dataclass(frozen=True, slots=True)
class TableView:
    table: str
    by: str
    scope: Literal["steps", "trace"]
    marks_steps: bool
    """Whether the trace marks steps, to which a table can be limited."""
    headline: str
    about: str
    choices: tuple[TableChoice, ...]
    count: int
    """The number of all rows; there may be more than are sent."""
    columns: tuple[TableColumn, ...]
    """The columns in which something is known. Rows come by importance."""
    device_us: float | None
    without_row_us: float | None
    """The part of the device's time that is in no row."""
    histogram: Histogram | None
    sequences: tuple[SequenceRow, ...]


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """`gone`: there is a report and no trace any more."""

    state: Literal["ready", "reading", "gone", "broken"]
    view: TableView | None
    progress: Progress | None
    problem: Problem | None


@dataclass(frozen=True, slots=True)
class RowPart:
    """Kernels of an operator, or operators that launch a kernel."""

    name: str
    short_name: str
    calls: int
    device_us: float
    share: float
    """The share of the row's device time."""


@dataclass(frozen=True, slots=True)
class RowCode:
    """A function of the user's that a row's calls come from."""

    file: str
    line: int | None
    """The line of its `def`, unless it is exact."""
    function: str
    exact: bool
    calls: int
    time_us: float
    """The time on the device; on the host where no device is recorded."""


@dataclass(frozen=True, slots=True)
class RowPlace:
    """One call in the timeline."""

    row: int
    """The row of the trace."""
    step: int | None
    step_name: str
    start_us: float
    """Since the first event of the window."""
    host_us: float | None
    device_us: float | None


@dataclass(frozen=True, slots=True)
class RowDetails:
    name: str
    """Whole."""
    shapes: str
    stack: tuple[str, ...]
    """Innermost frame first; empty where the table is by something else."""
    parts: tuple[RowPart, ...]
    """The largest first."""
    more_parts: int
    """The number of parts that are not among them."""
    code: tuple[RowCode, ...]
    places: tuple[RowPlace, ...]
    """The median one, then the longest ones."""
