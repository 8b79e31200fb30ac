"""The baseline: a file with a line for each accepted finding, made to be read in a diff.

Numbers of lines have no place in it, so that an edit above a finding changes nothing. `code` is the
text of the line, which sets lines of one function apart; in schema 1 there was none. `reason`
is for people: it is kept when the file is written again.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.safe_open import content_within
from tbprof.views.check import Accepted, Baseline, CheckView

SCHEMA = 2

_MAX_BYTES = 64 * 1024 * 1024
"""Some 200,000 findings; what is larger was not written here, or does not end."""


def read_baseline(path: Path) -> Baseline:
    """What was accepted.

    Raises:
        UsageError: The file is not there, or is no baseline.
    """
    try:
        document = json.loads(content_within(path, _MAX_BYTES).decode())
    except FileNotFoundError:
        raise UsageError(f"there is no baseline {path}: --update-baseline writes one") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"the baseline {path} can't be read ({error}): restore it") from error
    if not isinstance(document, dict):
        raise UsageError(f"{path} is no baseline of tbprof check: --update-baseline writes one")
    try:
        if document["schema"] > SCHEMA:
            raise UsageError(f"a later tbprof wrote the baseline {path}: upgrade this one")
        return Baseline(
            accepted=tuple(_accepted(line) for line in document["findings"]),
            steps=int(document.get("steps", 0)),
            is_former=document["schema"] < SCHEMA,
            is_of_first_steps=bool(document.get("first_steps", document.get("steps", 0) != 1)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path} is no baseline of tbprof check: {error!r} in it") from error


def _accepted(line: Mapping[str, Any]) -> Accepted:
    return Accepted(
        fingerprint=str(line["fingerprint"]),
        rule=str(line["rule"]),
        file=str(line["file"]),
        function=str(line["function"]),
        code=str(line.get("code", "")),
        per_step=int(line["per_step"]),
        reason=str(line["reason"]),
    )


def renewed(view: CheckView) -> Baseline:
    """The baseline that accepts all that was found, with the reasons that were given before."""
    accepted = tuple(
        Accepted(
            fingerprint=row.found.fingerprint,
            rule=row.found.rule,
            file=row.found.file,
            function=row.found.function,
            code=row.found.code,
            per_step=row.found.per_step,
            reason=row.reason,
        )
        for row in view.rows
        if row.state != "suppressed"
    )
    return Baseline(accepted, steps=view.steps, is_former=False, is_of_first_steps=view.is_of_first_steps)


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write it sorted, one finding a line; where that fails, the earlier one stays.

    Raises:
        UsageError: The file can't be written.
    """
    ordered = sorted(
        baseline.accepted, key=lambda line: (line.file, line.function, line.rule, line.fingerprint)
    )
    lines = (json.dumps(dataclasses.asdict(line), ensure_ascii=False) for line in ordered)
    findings = ",\n".join(f"  {line}" for line in lines)
    made_of = f'"steps": {baseline.steps}, "first_steps": {json.dumps(baseline.is_of_first_steps)}'
    text = f'{{"schema": {SCHEMA}, {made_of}, "findings": [\n{findings}\n]}}\n'
    # Who only judges by it writes none.
    from tbprof.cli.output_file import Output

    with Output(path) as output:
        output.put(text)


def path_in_checkout(file: str, source_root: Path) -> str:
    """The file relative to the folder that the command runs in, with forward slashes.

    A report names files relative to where Python imported them from: `source_root` says where
    that is. What lies elsewhere keeps its whole path.
    """
    full = os.path.normpath(Path.cwd() / source_root / file)
    inside = os.path.relpath(full) if full.startswith(str(Path.cwd()) + os.sep) else full
    return inside.replace(os.sep, "/")
