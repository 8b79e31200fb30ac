"""Labels of tasks: marks of people in the sources become lines, and machines add figures and verdicts."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

from side_server import SideServer

from tests.syncbench.proving import Proved, proved
from tests.syncbench.tasks import Task, digest, unmarked

FIGURES = ("sync_points", "copies", "bytes", "operators", "peak_bytes")


def label(task: Task, server: SideServer) -> str:
    """Write the `[labels]` of a task, and take the marks out of its programs.

    The lines are what people marked. Figures, equality and verdicts are computed. A task that is labeled, and
    has no marks, keeps its lines.
    """
    lines: dict[str, Any] = {}
    for side in ("before", "after", "wrong"):
        source = task.source(side)
        if source is not None:
            plain, said = unmarked(source)
            for kind, times in said.items():
                lines[f"{kind}_{side}"] = times
            task.path(side).write_text(plain, encoding="utf-8")
    known = {key: value for key, value in task.labels.items() if key.startswith(("waits", "needed", "stays"))}
    found, wrong = (looked_at(task, side, server) for side in ("after", "wrong"))
    computed = {} if found is None else figures(found)
    if wrong is not None:
        computed["found_wrong"] = wrong.proof.verdict
    head = (task.folder / "task.toml").read_text(encoding="utf-8").partition("\n[labels]\n")[0].rstrip()
    labels = {**(lines or known), **computed}
    text = f"{head}\n\n[labels]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in labels.items())
    (task.folder / "task.toml").write_text(text, encoding="utf-8")
    return f"{task.name}: {computed.get('found', 'needed reads')}"


def looked_at(task: Task, side: str, server: SideServer) -> Proved | None:
    """What a machine says of a change, or of its wrong form; None where there is none."""
    before, after = task.source("before"), task.source(side)
    if before is None or after is None:
        return None
    return proved(server, unmarked(before)[0], unmarked(after)[0], task.step_on)


def figures(found: Proved) -> dict[str, Any]:
    """Labels that a machine makes of a change."""
    claim = found.proof.claim
    made: dict[str, Any] = {"found": found.proof.verdict, "equality": equality(found)}
    return made | ({name: list(getattr(claim, name)) for name in FIGURES} if claim else {})


def equality(found: Proved) -> str:
    """Whether both came to the same, apart from whether it is safe."""
    result = found.proof.result
    if result is None or found.proof.verdict in ("not equal", "different work"):
        return "not equal"
    return "identical" if result.equal else "within rounding"


def hide(task: Task) -> None:
    """Store what is known of a task as salted digests."""
    salt = secrets.token_hex(8)
    labels: dict[str, Any] = {"salt": salt}
    for key, value in task.labels.items():
        if key.startswith(("waits", "stays")):
            labels[key] = sorted(digest(salt, line) for line in value)
    for key in ("gain", "verdict"):
        value = task.facts[key]
        if value != "not stated":
            labels[key] = [digest(salt, each) for each in ([value] if isinstance(value, str) else value)]
    kept = ("repository", "change", "link", "licence", "kind", "step_on")
    facts = {key: task.facts[key] for key in kept if key in task.facts}
    facts |= {"happened": "Its labels are hidden.", "hidden": True}
    text = "".join(f"{key} = {_toml(value)}\n" for key, value in facts.items())
    text += "\n[labels]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in labels.items())
    (task.folder / "task.toml").write_text(text, encoding="utf-8")


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return (
            f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}" if value else "{}"
        )
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None:
        return "-1"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value if not isinstance(value, float) else round(value, 2))


def exported(tasks: Iterator[Task], canary: str, version: str) -> Iterator[str]:
    """Each task as a line of JSON, with its programs."""
    for task in tasks:
        sources = {side: task.source(side) for side in ("before", "after", "wrong")}
        yield json.dumps(
            {"name": task.name, "version": version, "canary": canary, **task.facts, "programs": sources},
            default=str,
        )
