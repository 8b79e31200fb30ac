"""The types of tensors by the names that traces give them (data)."""

from __future__ import annotations

_TYPES = {
    "float": ("float32", 4),
    "double": ("float64", 8),
    "half": ("float16", 2),
    "bfloat16": ("bfloat16", 2),
    "int": ("int32", 4),
    "long": ("int64", 8),
    "long int": ("int64", 8),
    "short": ("int16", 2),
    "short int": ("int16", 2),
    "char": ("int8", 1),
    "signed char": ("int8", 1),
    "byte": ("uint8", 1),
    "unsigned char": ("uint8", 1),
    "bool": ("bool", 1),
    "float8_e4m3fn": ("float8_e4m3fn", 1),
    "float8_e4m3fnuz": ("float8_e4m3fnuz", 1),
    "float8_e5m2": ("float8_e5m2", 1),
    "float8_e5m2fnuz": ("float8_e5m2fnuz", 1),
    "float8_e8m0fnu": ("float8_e8m0fnu", 1),
    "float4_e2m1fn_x2": ("float4_e2m1fn_x2", 1),
    "complexfloat": ("complex64", 8),
    "complex<float>": ("complex64", 8),
    "complexdouble": ("complex128", 16),
    "complex<double>": ("complex128", 16),
}
"""By the name that a trace gives a type, in small letters and without `c10::`: torch's name, bytes of one."""


def dtype_name(recorded: str) -> str:
    """Torch's name of a type; one that is not known stays as it was recorded."""
    return _TYPES.get(_plain(recorded), (recorded, 0))[0]


def item_bytes(recorded: str) -> int | None:
    """Size of one element; None of a type that is not known."""
    known = _TYPES.get(_plain(recorded))
    return None if known is None else known[1]


def _plain(recorded: str) -> str:
    return recorded.lower().removeprefix("c10::")
