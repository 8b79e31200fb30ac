"""Windows of a recording as samples, under names like those in `logs/samples`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from shortened_trace import Document, count_steps, packed, read_document, shortened

MOST_BYTES = 6_000_000
"""Of all samples together: they lie in the repository and in the wheel."""

_BYTES_FOR_REPORTS = 500_000

_CHOSEN: Mapping[str, str] = {
    "patch-0-before": "classifier_0_before",
    "patch-1-constant": "classifier_1_constant",
    "patch-3-index": "classifier_3_index",
    "patch-6-cross-entropy": "classifier_6_after",
    "resnet-pageable-4": "resnet_pageable",
}
"""The repaired classifier before, after and at two stages between, and one fed from pageable memory."""

_VARIANTS = ("stacks", "plain")
"""Windows with stacks first: they know the user's functions."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: `name` is its folder, and `file` its trace."""

    name: str
    file: str
    document: Document

    @property
    def content(self) -> bytes:
        return packed(self.document, self.file)


def chosen_windows(recording: Path, hooked: Path | None) -> Iterator[Sample]:
    """The chosen windows that are there; those of the hook, which hold exact lines, before all others."""
    recorded = json.loads((recording / "programs.json").read_text(encoding="utf-8"))
    device = _short_name(recorded["machine"].get("gpu", "cpu"))
    for program, name in _CHOSEN.items():
        passes = recorded["programs"].get(program, {"window": {}})
        windows = {each["variant"]: recording / each["path"] for each in passes["window"].get("windows", ())}
        places = [hooked / f"{program}.trace.json.gz"] if hooked else []
        places += [windows[variant] for variant in _VARIANTS if variant in windows]
        trace = next((place for place in places if place.is_file()), None)
        if trace is not None:
            yield Sample(f"{name}_{device}", f"{program}.pt.trace.json.gz", read_document(trace))


def fitted(samples: list[Sample], most_bytes: int = MOST_BYTES - _BYTES_FOR_REPORTS) -> list[Sample]:
    """The same with fewer steps, always taken from the largest, until they fit; each keeps one."""
    fitting = list(samples)
    sizes = [len(sample.content) for sample in fitting]
    while sum(sizes) > most_bytes:
        many = [at for at, sample in enumerate(fitting) if count_steps(sample.document) > 1]
        if not many:
            return fitting
        largest = max(many, key=sizes.__getitem__)
        fitting[largest] = _without_last_step(fitting[largest])
        sizes[largest] = len(fitting[largest].content)
    return fitting


def _without_last_step(sample: Sample) -> Sample:
    document = shortened(sample.document, count_steps(sample.document) - 1)
    return Sample(sample.name, sample.file, document)


def _short_name(device: str) -> str:
    """As the samples have it: h100 for an "NVIDIA H100 80GB HBM3"."""
    words = device.lower().split()
    return words[1] if words[0] == "nvidia" and len(words) > 1 else words[0]
