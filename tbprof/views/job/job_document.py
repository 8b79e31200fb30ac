"""The job of a run as one JSON object. Keys may be added, never changed without raising `schema`."""

from __future__ import annotations

import dataclasses
from typing import Any

from tbprof.views.job.job_page import JobPage, JobRank, LateCause


def job_document(page: JobPage) -> dict[str, Any]:
    """Times are means of a step; null was not recorded or could not be computed."""
    return {
        "schema": 1,
        "verdict": page.verdict,
        "detail": page.detail,
        "on": page.on,
        "step_us": page.step_us,
        "waiting_share": page.waiting_share,
        "ranks": [_rank(rank) for rank in page.ranks],
        "matched": page.matched,
        "unmatched": page.unmatched,
        "waits": [
            {
                "waiting": page.ranks[wait.waiting].name,
                "awaited": None if wait.awaited is None else page.ranks[wait.awaited].name,
                "wait_us": wait.wait_us,
            }
            for wait in page.waits
        ],
        "late": [_late(cause, page) for cause in page.late],
        "fix_plan": [dataclasses.asdict(fix) for fix in page.plan],
        "what_if": None if page.what_if is None else dataclasses.asdict(page.what_if),
        "collectives": [dataclasses.asdict(row) for row in page.collectives],
        "missing": list(page.missing),
        "problems": [
            *(dataclasses.asdict(problem) for problem in page.problems),
            *(dataclasses.asdict(group) for group in page.unmatched_groups),
        ],
        "notes": list(page.notes),
    }


def _rank(rank: JobRank) -> dict[str, Any]:
    return {
        "rank": rank.rank,
        "worker": rank.worker,
        "step_us": rank.step_us,
        "computing_us": rank.computing_us,
        "communication_exposed_us": rank.communication_exposed_us,
        "copying_us": rank.copying_us,
        "idle_by_cause": {part.cause: part.idle_us for part in rank.idle},
        "transfer_us": rank.transfer_us,
        "arrival_wait_us": rank.arrival_wait_us,
        "late_us": rank.late_us,
        "latest_in": rank.latest_in,
    }


def _late(cause: LateCause, page: JobPage) -> dict[str, Any]:
    computing = {"more": "computes_more", "slower": "computes_slower"}.get(cause.computing or "")
    rank = page.ranks[cause.rank]
    return {
        "rank": rank.rank,
        "worker": rank.worker,
        "also_late": [page.ranks[other].name for other in cause.also_late],
        "late_us": cause.late_us,
        "cause": cause.cause or computing or cause.kind,
        "source": None if cause.source is None else dataclasses.asdict(cause.source),
        "sentence": cause.sentence,
        "place": cause.place,
        "op": cause.op,
        "module": cause.module,
        "numbers": {
            "due_us": cause.due_us,
            "steps": len(cause.steps),
            "of_steps": len(page.steps),
            "inputs": cause.inputs,
        },
    }
