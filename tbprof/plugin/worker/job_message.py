"""What TensorBoard's process asks for the page of a job; apart, as its columns need numpy."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.records import dataclass
from tbprof.views.job.job_page import RankProblem, UnreadRank
from tbprof.views.job.rank_summary import RankSummary


@dataclass(frozen=True, slots=True)
class AskedJob:
    """The ranks of which a page is wanted."""

    summaries: Sequence[RankSummary]
    problems: Sequence[RankProblem]
    older: Sequence[str]
    reading: Sequence[UnreadRank]
