"""Write the reports beside the samples again: `python tests/data/refresh_samples.py`.

A test compares them with what the analysis says today.
"""

from __future__ import annotations

import dataclasses
import pathlib

from tbprof.file_names import REPORT_SUFFIX
from tbprof.model import Report
from tbprof.report import build_report
from tbprof.safe_open import content_of
from tbprof.store.codec import encode_report
from tbprof.version import __version__
from tbprof.window_names import parse_window_name

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"


def sample_report(trace: pathlib.Path) -> Report:
    """A sample's report as it is stored, with the file's name alone."""
    report = build_report(trace)
    return dataclasses.replace(report, trace=dataclasses.replace(report.trace, path=trace.name))


def report_path(trace: pathlib.Path) -> pathlib.Path:
    return trace.with_name(parse_window_name(trace.name).stem + REPORT_SUFFIX)


def write_report(trace: pathlib.Path) -> Report:
    """Beside the sample, which it is returned of."""
    report = sample_report(trace)
    stored = encode_report(report, written_by=__version__, made_of=content_of(trace))
    report_path(trace).write_bytes(stored)
    return report


def refresh() -> None:
    for trace in sorted(SAMPLES.rglob("*.json.gz")):
        write_report(trace)


if __name__ == "__main__":
    refresh()
