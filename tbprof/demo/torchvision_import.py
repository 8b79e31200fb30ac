"""Import torchvision, also beside a torch that it was not compiled for.

torchvision's wheel from the package index is built for CUDA. Beside a CPU build of torch
its native operators do not load, and the import ends in a RuntimeError about
`torchvision::nms`, although everything but the detection operators works. Declaring the
two operators that the import looks for is enough.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType

import torch

MISSING_OPERATORS = ("nms", "qnms")


def import_torchvision() -> ModuleType:
    """Import torchvision; a whole installation is left as it is.

    Raises:
        ImportError: torchvision is not installed.
    """
    try:
        return import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        _forget_half_imported()
        _declare_operators()
    return import_module("torchvision")


def _forget_half_imported() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]


def _declare_operators() -> None:
    library = torch.library.Library("torchvision", "DEF")
    for operator in MISSING_OPERATORS:
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    # Its declarations live as long as the object does.
    _declared.append(library)


_declared: list[torch.library.Library] = []
