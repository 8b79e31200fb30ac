"""What the eras and vendors call an event's category, and how the era of a file is told."""

from __future__ import annotations

from collections.abc import Set

from tbprof.trace.columns import Category

__all__ = ["GPU_WORK", "STEP_PREFIX", "category_of", "era_of"]

STEP_PREFIX = "ProfilerStep#"

GPU_WORK = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)
"""What keeps a device busy."""

_CATEGORIES = {
    "cpu_op": Category.CPU_OP,
    "user_annotation": Category.USER_ANNOTATION,
    "kernel": Category.KERNEL,
    "gpu_memcpy": Category.MEMCPY,
    "gpu_memset": Category.MEMSET,
    "cuda_sync": Category.SYNC,
    "python_function": Category.PYTHON,
    "gpu_user_annotation": Category.GPU_ANNOTATION,
    "overhead": Category.OVERHEAD,
}
_CATEGORIES_2021 = {
    "Operator": Category.CPU_OP,
    "Runtime": Category.RUNTIME,
    "Kernel": Category.KERNEL,
    "Memcpy": Category.MEMCPY,
    "Memset": Category.MEMSET,
}
_ARROWS_2022 = "async_cpu_to_gpu"


def category_of(text: str) -> Category:
    """The category that the `cat` of an event means; OTHER for one that is not known."""
    if text in _CATEGORIES:
        return _CATEGORIES[text]
    if text in _CATEGORIES_2021:
        return _CATEGORIES_2021[text]
    if text.endswith(("_runtime", "_driver")) or text.startswith("hip_"):
        return Category.RUNTIME
    return Category.OTHER


def era_of(categories: Set[str], arrows: Set[str], *, has_base_time: bool, has_decimals: bool) -> str:
    """The dialect of a file, by the first of these marks that it bears.

    - "2021": a category of that year (`Operator`, `Runtime`, `Kernel`, `Memcpy`, `Memset`);
    - "2024+": `baseTimeNanoseconds` or `displayTimeUnit` among the metadata, or times
      with decimals;
    - "2022": arrows from calls to kernels of category `async_cpu_to_gpu`;
    - "2023": the rest (its arrows are `ac2g`).

    `categories` are those of the complete events, `arrows` those of the flow events.
    """
    if not categories.isdisjoint(_CATEGORIES_2021):
        return "2021"
    if has_base_time or has_decimals:
        return "2024+"
    return "2022" if _ARROWS_2022 in arrows else "2023"
