"""`dataclass` for frozen records, at a small part of the cost of importing one.

The standard one compiles six functions for a class when its module is imported, which took a quarter of
the time to print a small report. Here all classes share theirs, and nothing is compiled at import. A class of
which many records are made gets an `__init__` of its own, as that is faster to call. What the standard
library has to know of a class (for `fields`, `replace`, `asdict`) it learns when it first asks. Type
checkers see the standard one. A record inherits no fields.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "is_record"]

_MANY = 32
"""Records made by the shared `__init__` before one of the class's own pays: to compile it costs as much."""
_LEFT_OUT: Any = object()


class _Layout:
    """The fields of a class, in their order: how each is set, and what it is when left out."""

    __slots__ = ("cls", "declared", "defaults", "factories", "is_kw_only", "made", "setters")

    def __init__(self, cls: Any, declared: dict[str, Any], is_kw_only: bool, setter: Any) -> None:
        self.cls, self.declared, self.is_kw_only = cls, declared, is_kw_only
        self.setters = {name: setter(cls, name) for name in cls.__annotations__}
        self.defaults: dict[str, object] = {}
        self.factories: dict[str, Any] = {}
        for name, value in declared.items():
            if not isinstance(value, dataclasses.Field):
                self.defaults[name] = value
            elif value.default_factory is not dataclasses.MISSING:
                self.factories[name] = value.default_factory
            elif value.default is not dataclasses.MISSING:
                self.defaults[name] = value.default
        self.made = 0

    def fill(self, record: Any, values: tuple[object, ...], named: dict[str, object]) -> bool:
        """Set the fields of a record; false where the arguments do not fit."""
        given = {**dict(zip(self.setters, values, strict=False)), **named}
        if len(given) < len(values) + len(named) or (self.is_kw_only and values):
            return False
        for name, put in self.setters.items():
            if name in given:
                put(record, given.pop(name))
            elif name in self.defaults:
                put(record, self.defaults[name])
            elif name in self.factories:
                put(record, self.factories[name]())
            else:
                return False
        return not given

    def compile_init(self) -> None:
        """Give the class an `__init__` of its own."""
        scope: dict[str, Any] = {"_LEFT_OUT": _LEFT_OUT}
        taken, body = ["self", "*"] if self.is_kw_only else ["self"], []
        changing = self._changing()
        if changing is not None:
            scope |= {"_become": object.__dict__["__class__"].__set__, "_changing": changing}
            body.append(" _kind = self.__class__\n _become(self, _changing)\n")
        for number, (name, put) in enumerate(self.setters.items()):
            value = name
            if name in self.factories:
                scope[f"_made{number}"] = self.factories[name]
                value = f"_made{number}() if {name} is _LEFT_OUT else {name}"
                taken.append(f"{name}=_LEFT_OUT")
            elif name in self.defaults:
                scope[f"_default{number}"] = self.defaults[name]
                taken.append(f"{name}=_default{number}")
            else:
                taken.append(name)
            scope[f"_set{number}"] = put
            body.append(f" self.{name} = {value}\n" if changing else f" _set{number}(self, {value})\n")
        if changing is not None:
            body.append(" self.__class__ = _kind\n")
        exec(f"def __init__({', '.join(taken)}):\n{''.join(body) or ' pass'}", scope)
        scope["__init__"].__qualname__ = f"{self.cls.__qualname__}.__init__"
        self.cls.__init__ = scope["__init__"]

    def _changing(self) -> type | None:
        """A class of the same layout that is not frozen; None where there can't be one.

        To be of it while the fields are set takes two thirds of the time.
        """
        slots = self.cls.__dict__.get("__slots__")
        return (
            type(self.cls.__name__, (), {"__slots__": slots})
            if slots and self.cls.__bases__ == (object,)
            else None
        )

    def standard(self) -> Any:
        """A class of the standard library's with the same fields."""
        # Without a docstring it would ask for the signature, to write it there.
        named = {"__module__": self.cls.__module__, "__doc__": self.cls.__name__}
        cls = type(self.cls.__name__, (), {**self.declared, **named})
        cls.__annotations__ = self.cls.__annotations__
        return dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self.is_kw_only)(cls)


class _LazyFields:
    """What the standard library keeps of a class, made when it is first asked for."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, record: object, cls: Any) -> Any:
        value = getattr(cls._layout.standard(), self.name)
        setattr(cls._layout.cls, self.name, value)
        return value


def _init(self: Any, /, *values: object, **named: object) -> None:
    layout = self._layout
    layout.made += 1
    if layout.made > _MANY or not layout.fill(self, values, named):
        # Of arguments that do not fit, a function of its own says what is wrong.
        layout.compile_init()
        layout.cls.__init__(self, *values, **named)


def _values(self: Any) -> tuple[object, ...]:
    return tuple([getattr(self, name) for name in self._layout.setters])


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if other.__class__ is self.__class__ else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._layout.setters)
    return f"{type(self).__qualname__}({values})"


def _no_change(self: Any, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"a {type(self).__name__} does not change: {name!r}")


def _set_state(self: Any, state: tuple[object, ...]) -> None:
    for put, value in zip(self._layout.setters.values(), state, strict=True):
        put(self, value)


def _slot_setter(cls: Any, name: str) -> Any:
    """Twice as fast as `object.__setattr__`, and as deaf to what is frozen."""
    return getattr(cls, name).__set__


def _attribute_setter(_: Any, name: str) -> Any:
    return lambda record, value: object.__setattr__(record, name, value)


def _replaced(self: Any, /, **changes: object) -> Any:
    """For `copy.replace`."""
    return dataclasses.replace(self, **changes)


def is_record(value: object) -> bool:
    """Whether this is a record, or the class of one: `is_dataclass`, which asks for all that it holds."""
    return hasattr(value, "_layout")


_SHARED: dict[str, Any] = {
    "__init__": _init,
    "__repr__": _repr,
    "__setattr__": _no_change,
    "__delattr__": _no_change,
    "__replace__": _replaced,
    "__dataclass_fields__": _LazyFields("__dataclass_fields__"),
    "__dataclass_params__": _LazyFields("__dataclass_params__"),
}
_EQUAL: dict[str, Any] = {"__eq__": _eq, "__hash__": _hash}
_SLOTTED: dict[str, Any] = {"__getstate__": _values, "__setstate__": _set_state}
_OF_A_DICT = ("__dict__", "__weakref__")
"""What a class without slots has; the record's own class makes its own."""


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, frozen, slots=False, eq=True, kw_only=False):
        """The decorator of the standard library, but faster; `frozen` must be true."""
        assert frozen, "what changes is made by dataclasses.dataclass"

        def record(cls):
            assert not hasattr(cls, "_layout"), "a record inherits no fields"
            names = tuple(cls.__annotations__)
            own = {name: value for name, value in cls.__dict__.items() if name not in _OF_A_DICT}
            declared = {name: own.pop(name) for name in names if name in own}
            body = {**_SHARED, "__match_args__": () if kw_only else names}
            body |= _EQUAL if eq else {}
            body |= {"__slots__": names, **_SLOTTED} if slots else {}
            made = type(cls)(cls.__name__, cls.__bases__, body | own)
            made._layout = _Layout(made, declared, kw_only, _slot_setter if slots else _attribute_setter)
            return made

        return record
