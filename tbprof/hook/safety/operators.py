"""Sees each operator that torch runs on a thread, below autograd and without a mode.

A dispatch mode would do it, too. But while any is active, torch itself has other formulas for some functions
(`isTensorSubclassLike` in C++), and who asks for modes finds it. A key of the dispatcher that this thread has
included, and no tensor has, changes neither: `Fake` is torch's own, lies right above the key of modes, and is
used by a library alone that nobody maintains any more. Torch keeps it with the other state of a thread,
puts it back with that, and gives it to the threads of a backward pass.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch.library import Library, fallthrough_kernel

from tbprof.hook.safety.guard import drop_own_frames

Note = Callable[[tuple[Any, ...], Mapping[str, Any], Any], None]
"""Takes what an operator was given, by position and by name, and its result; it must not raise."""

_NAME = "Fake"
_KEY = torch._C._dispatch_key_parse(_NAME)
_UNSEEN = ("aten::alias", "aten::detach")
"""Torch makes parameters, and other classes, of their results, which must not be objects of Python yet."""

_noting: list[Note] = []
_libraries: dict[str, Any] = {}
"""What holds the relays in torch, by namespace; never dropped, as another thread may be in one of them."""
_known: set[str] = set()


def can_see_operators() -> bool:
    """Whether what is begun here lasts until it is ended, and nobody else sees operators now.

    Inference mode, a backward pass, a functorch transform and a kernel that is written in Python put torch's
    state back when they end.
    """
    return not (
        _noting
        or torch.is_inference_mode_enabled()
        or torch._C._current_graph_task_id() != -1
        or torch._C._functorch.peek_interpreter_stack() is not None
        or torch._C._dispatch_tls_is_dispatch_key_excluded("AutogradCPU")
    )


def see_operators(note: Note) -> None:
    """Have `note` hear of each operator that this thread calls, and its backward passes."""
    _put_relays()
    _noting.append(note)
    torch.Tensor.__new__ = _new
    _include(is_included=True)


def leave_operators(note: Note) -> None:
    """Let it hear of no more. Where torch puts the key back, the next operator takes it away again."""
    with contextlib.suppress(ValueError):
        _noting.remove(note)
    if _noting:
        return
    if vars(torch.Tensor).get("__new__") is _new:
        del torch.Tensor.__new__
    _include(is_included=False)


@contextlib.contextmanager
def operators_unseen() -> Iterator[None]:
    """Let torch run without us for a while."""
    was_included = torch._C._dispatch_tls_is_dispatch_key_included(_KEY)
    _include(is_included=False)
    try:
        yield
    finally:
        _include(is_included=was_included and bool(_noting))


def _include(*, is_included: bool) -> None:
    torch._C._dispatch_tls_set_dispatch_key_included(_KEY, is_included)


def relay(operator: Any, *args: Any, **options: Any) -> Any:
    """Stands for each operator where the key is included; what it runs itself is not seen."""
    _include(is_included=False)
    noting = _noting[-1:]
    try:
        if _NUMBERS.isdisjoint(map(type, args)) or not _have_numbers_for_tensors(operator, args):
            # Not by the operator's own call: that would ask `__torch_function__` again.
            result = torch._C._dispatch_call_boxed(operator._handle, *args, **options)
        else:
            result = _called_with_numbers(operator, args, options)
        for note in noting:
            note(args, options, result)
        return result
    except BaseException as error:
        drop_own_frames(error)
        raise
    finally:
        # Left meanwhile, or by another thread: not again.
        if noting and noting == _noting[-1:]:
            _include(is_included=True)


def _have_numbers_for_tensors(operator: Any, args: tuple[Any, ...]) -> bool:
    """Whether a number that torch had made a tensor of comes as a number."""
    places = _tensor_places.get(operator)
    if places is None:
        types = (argument.type for argument in operator._schema.arguments)
        places = [place for place, kind in enumerate(types) if isinstance(kind, torch._C.TensorType)]
        _tensor_places[operator] = places
    return any(type(args[place]) in _NUMBERS for place in places if place < len(args))


def _called_with_numbers(operator: Any, args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    with torch._C.DisableTorchFunction():
        try:
            return operator(*args, **options)
        except RuntimeError as error:
            if type(error) is not RuntimeError or _NO_TENSOR not in str(error):
                raise
        return operator(*_with_tensors(operator, args), **options)


_NO_TENSOR = "Expected a value of type 'Tensor'"


def _with_tensors(operator: Any, args: tuple[Any, ...]) -> Iterator[Any]:
    """Few operators take a number. TorchScript has constants, and calls others with them in a first run."""
    places = _tensor_places[operator]
    for place, value in enumerate(args):
        is_number = type(value) in _TYPES and place in places
        yield torch.scalar_tensor(value, dtype=_TYPES[type(value)], device="cpu") if is_number else value


_tensor_places: dict[Any, list[int]] = {}
_TYPES = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}
_NUMBERS = frozenset(_TYPES)


def _put_relays() -> None:
    """Once in a process, and again for the operators that are new.

    Torch calls one function for all operators, too. But given a tensor whose class has `__torch_dispatch__`,
    where that is switched off, as its own fake tensors do, it then fails on an assertion.
    """
    if not _libraries:
        _libraries["_"] = Library("_", "IMPL")
        _libraries["_"].fallback(relay, _NAME)
        _leave_to_others()
    for name in torch._C._dispatch_get_all_op_names():
        if name not in _known:
            _known.add(name)
            namespace, _, rest = name.partition("::")
            if namespace not in _libraries:
                _libraries[namespace] = torch._C._dispatch_library("IMPL", namespace, "", __file__, 0)
            ours = partial(_relay_of, namespace, *rest.partition(".")[::2])
            _libraries[namespace].impl(rest, _NAME, fallthrough_kernel if name in _UNSEEN else ours, False)


def _relay_of(namespace: str, name: str, overload: str, *args: Any, **options: Any) -> Any:
    packet = getattr(getattr(torch.ops, namespace), name)
    try:
        return relay(getattr(packet, overload or "default"), *args, **options)
    except BaseException as error:
        drop_own_frames(error)
        raise


def _leave_to_others() -> None:
    """Keep the key from operators that are written in Python alone: they would look for a kernel of it."""
    higher = torch._ops
    higher._HIGHER_ORDER_OP_DEFAULT_FALLTHROUGH_DISPATCH_KEYS.append(_KEY)
    for operator in higher._higher_order_ops.values():
        operator.fallthrough(_KEY)


_torch_s_new = torch._C.TensorBase.__new__


def _new(*args: Any, **options: Any) -> Any:
    """Stands for `torch.Tensor.__new__`: of what is an object yet, torch makes none of another class.

    Torch's compiler, which a program may import meanwhile, compares the names of arguments, if there are any.
    """
    if args[0] is torch.Tensor or not _noting:
        return _torch_s_new(*args, **options)
    with operators_unseen():
        return _torch_s_new(*args, **options)
