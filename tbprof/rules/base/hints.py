"""Waits inside a framework that one of its own options takes away (data).

The frame of such a site is the framework's, and its user can't change the line: the option is
the fix. A code goes into a finding's numbers as `hint`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tbprof.records import dataclass

if TYPE_CHECKING:
    from tbprof.analysis.attribution.sites import SiteMembers

__all__ = ["HINTS", "Hint", "hint_of"]

_TRUTH = "aten::is_nonzero"
_READ = "aten::_local_scalar_dense"


@dataclass(frozen=True, slots=True)
class Hint:
    code: str
    file: str
    """Matches the end of the frame's file, with forward slashes."""
    function: str
    """Matches the whole name of its function."""
    op: str
    """One of the ops around the wait; "" where any will do."""
    fix: str
    """Which option, in a sentence."""


HINTS: tuple[Hint, ...] = (
    # `logging_nan_inf_filter=True` asks of every loss whether it is NaN or infinite.
    Hint(
        "transformers_nan_filter",
        r"transformers/trainer\.py",
        r".*",
        _TRUTH,
        "The Trainer asks this of every loss: logging_nan_inf_filter=False turns it off.",
    ),
    # Losses and norms are read every `logging_steps`.
    Hint(
        "transformers_logging_steps",
        r"transformers/trainer\.py",
        r".*",
        _READ,
        "The Trainer reads this when it logs: raise logging_steps.",
    ),
    # Whether a mask is all ones is asked only where a mask is given.
    Hint(
        "transformers_attention_mask",
        r"transformers/(?:modeling_attn_mask_utils|masking_utils)\.py",
        r".*",
        _TRUTH,
        "transformers asks whether the mask is all ones: give no attention_mask where nothing is padded.",
    ),
    # What `self.log` was given is read for the progress bar and the logger.
    Hint(
        "lightning_log",
        r"(?:lightning/fabric|lightning_fabric)/utilities/apply_func\.py",
        r"to_item|convert_tensors_to_scalars",
        _READ,
        "self.log brings its value to the host: log every n steps, and without prog_bar.",
    ),
    # `validate_args=True` looks at the values of every batch.
    Hint(
        "torchmetrics_validate_args",
        r"torchmetrics/.*\.py",
        r".*_validation",
        "",
        "The metric looks at every batch: validate_args=False turns that off.",
    ),
)
"""As the sources of transformers 4.30 to 5.23, lightning 2 and torchmetrics 1 have them."""


def hint_of(site: SiteMembers) -> dict[str, str]:
    """The first hint of a site, ready to go into the numbers of its finding; else nothing."""
    source = site.source
    if source is None or not site.blocking or site.direction == "HtoD":
        return {}
    file = source.file.replace("\\", "/")
    for hint in HINTS:
        is_there = re.fullmatch(rf"(?:.*/)?{hint.file}", file) is not None
        does_it = re.fullmatch(hint.function, source.function) is not None
        if is_there and does_it and (not hint.op or hint.op in site.ops):
            return {"hint": hint.code}
    return {}
