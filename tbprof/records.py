"""`dataclass` for frozen records: a `msgspec.Struct` to the interpreter, a dataclass to type checkers.

A struct is declared as cheaply as a plain class, and made in a quarter of a dataclass's time. What the
standard library has to know of a class (for `fields`, `replace`, `asdict`) it learns when it first asks. A
record inherits no fields.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import msgspec

__all__ = ["dataclass", "is_record"]

_STRUCT: Any = type(msgspec.Struct)
_OF_A_DICT = ("__dict__", "__weakref__")
"""What a class without slots has; the struct makes its own."""
_KEPT = ("__dataclass_fields__", "__dataclass_params__")


class _LazyFields:
    """What the standard library keeps of a class, made when it is first asked for."""

    __slots__ = ("declared", "is_kw_only", "name")

    def __init__(self, name: str, declared: dict[str, Any], is_kw_only: bool) -> None:
        self.name, self.declared, self.is_kw_only = name, declared, is_kw_only

    def __get__(self, record: object, cls: Any) -> Any:
        # Without a docstring it would ask for the signature, to write it there.
        named = {"__module__": cls.__module__, "__doc__": cls.__name__}
        plain = type(cls.__name__, (), {**self.declared, **named, "__annotations__": cls.__annotations__})
        as_standard: Any = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self.is_kw_only)
        value = getattr(as_standard(plain), self.name)
        setattr(cls, self.name, value)
        return value


def is_record(value: object) -> bool:
    """Whether this is a record, or the class of one."""
    return isinstance(value, msgspec.Struct | _STRUCT)


def _field(declared: Any) -> Any:
    """A default as the struct takes it."""
    if not isinstance(declared, dataclasses.Field):
        return declared
    if declared.default_factory is not dataclasses.MISSING:
        return msgspec.field(default_factory=declared.default_factory)
    return declared.default


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen, slots=False, eq=True, kw_only=False):
        """The decorator of the standard library, but faster; `frozen` must be true."""
        assert frozen, "what changes is made by dataclasses.dataclass"

        def record(cls):
            body = {name: value for name, value in vars(cls).items() if name not in _OF_A_DICT}
            declared = {name: body[name] for name in cls.__annotations__ if name in body}
            body |= {name: _field(value) for name, value in declared.items()}
            body |= {name: _LazyFields(name, declared, kw_only) for name in _KEPT}
            bases = tuple(base for base in cls.__bases__ if base is not object)
            settings = {"frozen": True, "eq": eq, "kw_only": kw_only, "dict": not slots}
            if not slots or any(hasattr(base, "__weakref__") for base in bases):
                settings["weakref"] = True
            return _STRUCT(cls.__name__, (msgspec.Struct, *bases), body, **settings)

        return record
