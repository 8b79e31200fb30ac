"""What the eras and vendors call an event's category, and how the era of a file is recognized."""

from __future__ import annotations

from collections.abc import Set
from enum import Enum

import numpy as np

from tbprof.trace.columns.arrays import Int8s
from tbprof.trace.columns.columns import Category

STEP_PREFIX = "ProfilerStep#"
MODULE_PREFIX = "nn.Module: "
"""The prefix of a Python frame of torch's, and of a range of the hook's, that is the call of a module."""

GPU_WORK = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)
OTHER_ACCELERATORS = (Category.MTIA, Category.HPU, Category.NPU)
"""What keeps a device busy."""


class KinetoCategory(Enum):
    """The `cat` of an event. The decoder knows these by their bytes and makes no strings of them."""

    number: int
    """Index into `CATEGORIES`."""

    CPU_OP = "cpu_op"
    USER_ANNOTATION = "user_annotation"
    RUNTIME = "cuda_runtime"
    DRIVER = "cuda_driver"
    KERNEL = "kernel"
    MEMCPY = "gpu_memcpy"
    MEMSET = "gpu_memset"
    SYNC = "cuda_sync"
    PYTHON = "python_function"
    GPU_ANNOTATION = "gpu_user_annotation"
    OVERHEAD = "overhead"
    MTIA = "mtia_ccp_events"
    HPU = "hpu_op"
    CPU_OP_2021 = "Operator"
    RUNTIME_2021 = "Runtime"
    KERNEL_2021 = "Kernel"
    MEMCPY_2021 = "Memcpy"
    MEMSET_2021 = "Memset"
    ARROW = "ac2g"
    ARROW_2021 = "async"
    ARROW_2022 = "async_cpu_to_gpu"
    ARROW_TO_BACKWARD = "fwdbwd"
    OTHER = ""

    @classmethod
    def _missing_(cls, text: object) -> KinetoCategory:
        text = str(text)
        if text.endswith(("_runtime", "_driver")) or text.startswith("hip_"):
            return cls.RUNTIME
        return cls.OTHER


for _number, _category in enumerate(KinetoCategory):
    _category.number = _number

_ERA_2021 = {
    KinetoCategory.CPU_OP_2021: Category.CPU_OP,
    KinetoCategory.RUNTIME_2021: Category.RUNTIME,
    KinetoCategory.KERNEL_2021: Category.KERNEL,
    KinetoCategory.MEMCPY_2021: Category.MEMCPY,
    KinetoCategory.MEMSET_2021: Category.MEMSET,
}
_MEANINGS = {
    **_ERA_2021,
    KinetoCategory.CPU_OP: Category.CPU_OP,
    KinetoCategory.USER_ANNOTATION: Category.USER_ANNOTATION,
    KinetoCategory.RUNTIME: Category.RUNTIME,
    KinetoCategory.DRIVER: Category.RUNTIME,
    KinetoCategory.KERNEL: Category.KERNEL,
    KinetoCategory.MEMCPY: Category.MEMCPY,
    KinetoCategory.MEMSET: Category.MEMSET,
    KinetoCategory.SYNC: Category.SYNC,
    KinetoCategory.PYTHON: Category.PYTHON,
    KinetoCategory.GPU_ANNOTATION: Category.GPU_ANNOTATION,
    KinetoCategory.OVERHEAD: Category.OVERHEAD,
    KinetoCategory.MTIA: Category.MTIA,
    KinetoCategory.HPU: Category.HPU,
}
CATEGORIES: Int8s = np.array([_MEANINGS.get(name, Category.OTHER) for name in KinetoCategory], np.int8)
"""What each `KinetoCategory` means, by its number."""


def era_of(categories: Set[KinetoCategory], *, has_base_time: bool, has_decimals: bool) -> str:
    """The dialect of a file, by the first of these marks that it bears.

    - "2021": a category of that year (`Operator`, `Runtime`, `Kernel`, `Memcpy`, `Memset`);
    - "2024+": `baseTimeNanoseconds` or `displayTimeUnit` among the metadata, or times
      with decimals;
    - "2022": arrows from calls to kernels of category `async_cpu_to_gpu`;
    - "2023": the rest (its arrows are `ac2g`).

    `categories` are those of the complete events and of the arrows.
    """
    if not categories.isdisjoint(_ERA_2021):
        return "2021"
    if has_base_time or has_decimals:
        return "2024+"
    return "2022" if KinetoCategory.ARROW_2022 in categories else "2023"
