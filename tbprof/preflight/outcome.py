"""What the command says of a prediction: its report, and its exit code."""

from __future__ import annotations

import argparse

from tbprof.escaping import json_text, plain_lines
from tbprof.preflight.prediction.document import document
from tbprof.preflight.prediction.prediction import ENDED_WELL, Prediction
from tbprof.preflight.prediction.text import text

FOUND, COULD_NOT, SELF_TEST_FAILED = 1, 2, 3


def printed(prediction: Prediction, form: str) -> str:
    """The report, as `--format` asks for it."""
    return json_text(document(prediction), indent=1) if form == "json" else plain_lines(text(prediction))


def exit_code(prediction: Prediction, options: argparse.Namespace) -> int:
    """By how the program ended, and by what `--fail-on` and `--budget` asked for."""
    if prediction.ending not in ENDED_WELL:
        return COULD_NOT
    kinds = {
        prediction.sites[finding.site].kind for finding in prediction.findings if finding.suppressed is None
    }
    over_budget = options.budget is not None and prediction.syncs_per_step > options.budget
    return FOUND if over_budget or not kinds.isdisjoint(options.fail_on) else 0
