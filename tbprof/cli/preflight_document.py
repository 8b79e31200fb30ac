"""What preflight printed as JSON, read for `tbprof check`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tbprof.errors import UsageError
from tbprof.safe_open import content_within
from tbprof.texts.predicted import framework_fix
from tbprof.texts.rule_pages import rule_words
from tbprof.views.check import Found, Recording

Json: TypeAlias = Mapping[str, Any]

_MOST_BYTES = 64 * 1024 * 1024
_WHOLE_RUN = "window"
_ENDED_WELL = ("stopped", "finished", "out_of_time")


def preflight_document(path: Path) -> Json | None:
    """The object in a file, or None where the file holds something else."""
    try:
        if path.suffix != ".json":
            return None
        document = json.loads(content_within(path, _MOST_BYTES))
    except (OSError, ValueError):
        # Reading it as a trace says what is wrong with it.
        return None
    return document if isinstance(document, dict) and document.get("predicted") is True else None


def document_recording(document: Json, name: str) -> Recording:
    """The findings of a prediction that are part of a step.

    Raises:
        UsageError: It is of another version, or of a program that did not come to its end.
    """
    try:
        run = document["preflight"]
        if run["ending"] not in _ENDED_WELL:
            raise UsageError(f"the prediction of {name} is not whole: {run['error'] or run['ending']}")
        found = tuple(_found(document, finding) for finding in document["findings"])
        return Recording(
            name=name,
            predicted=True,
            sync_points=_most_sync_points(document),
            steps=0 if _is_one_stretch(document) else len(_warm(document)),
            found=tuple(finding for finding in found if finding.per_step > 0),
            warned=(),
            is_of_first_steps=True,
            doubt=_doubt(run, document),
            used_device=run.get("used_device", True),
        )
    except (KeyError, IndexError, TypeError) as error:
        raise UsageError(f"{name} is no report of preflight that this tbprof knows: {error!r}") from error


def _doubt(run: Json, document: Json) -> str:
    if not run.get("used_device", True):
        return f"{run['notes'][0]}."
    if _is_one_stretch(document) and not document["findings"]:
        return "no optimizer step was seen, and no line that would wait: --step-on names what ends a step."
    return ""


def _found(document: Json, finding: Json) -> Found:
    site = document["sites"][finding["sites"][0]]
    source, words = site["source"], rule_words(finding["rule"])
    counts = [site["per_step"][at] for at in _warm(document)]
    return Found(
        fingerprint=finding["fingerprint"],
        rule=finding["rule"],
        kind=finding["kind"],
        title=words.title,
        fix=words.fix,
        file=source["file"],
        line=source["line"],
        function=source["function"],
        code=site.get("code", ""),
        statement=site.get("statement", site.get("code", "")),
        ops=tuple(site["ops"]),
        per_step=max(counts, default=0),
        is_in_every_step=_is_one_stretch(document) or finding["every_step"],
        suppressed=finding["suppressed"],
        predicted=True,
        option=_option(site, finding["kind"]),
        ran_in=sum(1 for count in counts if count),
        of_steps=0 if _is_one_stretch(document) else len(counts),
    )


def _option(site: Json, kind: str) -> str:
    """The option of the framework's line, or of torch's own between it and the op."""
    frames = [frame for frame in (site["source"], site.get("via")) if frame]
    fixes = (framework_fix(frame["file"], frame["function"], kind) for frame in frames)
    return next(filter(None, fixes), "")


def _is_one_stretch(document: Json) -> bool:
    """Whether nothing took a step: then the one that there is has the name of the window."""
    return all(step["name"] == _WHOLE_RUN for step in document["steps"])


def _warm(document: Json) -> list[int]:
    return [at for at, step in enumerate(document["steps"]) if not step["cold"]]


def _most_sync_points(document: Json) -> int:
    """The sync points of the step that has most, without what is suppressed."""
    findings = document["findings"]
    excused = {site for finding in findings if finding["suppressed"] is not None for site in finding["sites"]}
    counted = [site for at, site in enumerate(document["sites"]) if site["blocking"] and at not in excused]
    return max((sum(site["per_step"][at] for site in counted) for at in _warm(document)), default=0)
