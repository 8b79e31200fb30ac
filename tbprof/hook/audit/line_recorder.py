"""The lines that call what can sync or copy, seen as torch's functions are called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from tbprof.hook.audit.call_log import CallLog
from tbprof.hook.audit.predicted_devices import FOLLOWED, PredictedDevices, uses_a_device
from tbprof.hook.audit.watched_calls import WATCHED, Call, CallFacts
from tbprof.hook.safety.compiled_code import CompilationWatch, frame_switch
from tbprof.hook.safety.guard import MissingFacts, drop_own_frames, let_through
from tbprof.hook.safety.modes import enter_function_mode, function_modes, leave, leave_when_outside
from tbprof.model import WAITED
from tbprof.program.caller_frame import TORCH, called_from, forget_callers

_UNNAMED = "synchronize"
_BACKWARD = "backward"
_NOTED = frozenset({*WATCHED, _BACKWARD})
_HAND_OVER = torch.overrides.handle_torch_function.__code__


class LineRecorder(TorchFunctionMode):  # type: ignore[misc]
    """Notes each watched call of the threads that it is active in; the calls themselves go on unchanged.

    Some 2 us for each of torch's functions, 10 us for a watched one. Torch puts a mode aside
    while one of its functions runs: what hooks and functions of the user's do inside a
    backward pass is not seen. A function that is compiled for the first time would be compiled
    around the mode, so the mode leaves before that.
    """

    def __init__(self, missing: MissingFacts) -> None:
        super().__init__()
        self.is_on = True
        """Off, it lets everything pass."""
        self.met_compiler = False
        """Whether it left, since a function was about to be compiled."""
        self.log = CallLog()
        self.backward_calls = 0
        self._missing = missing
        self.is_entered = False
        """Whether it is to be on the stack of its thread."""
        self._is_second_look = False
        uses_device = missing.ask("places", uses_a_device, otherwise=True)
        self._places = None if uses_device else PredictedDevices()
        self._compilations = CompilationWatch(self._make_way)
        self._switch: Callable[[Any], Any] | None = None
        self._awaits_dynamo = True

    def begin(self) -> None:
        """Watch torch's functions on this thread; without it, only `note_sync` is heard."""
        self._look_for_dynamo()
        enter_function_mode(self)

    def end(self) -> None:
        """Watch them no longer, wherever the mode stands among others."""
        self._compilations.stop()
        leave(self)
        forget_callers()

    def forget(self) -> None:
        """Start again with an empty record."""
        self.log = CallLog()
        self.backward_calls = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = kwargs or {}
        switch = self._switch
        if switch is not None:
            looks_on = switch(None)
            if looks_on is not None:
                # It would compile us where what it looks at is torch's own code alone.
                switch(looks_on)
                return func(*args, **options)
        caller = sys._getframe(1)
        is_traced = sys.gettrace() is not None or sys.getprofile() is not None
        call_it = _called_directly if is_traced else called_from(_caller_of_torch(caller))
        if type(func) is FunctionType:
            func = _beneath(func)
        try:
            if not self.is_on:
                return call_it(func, args, options)
            if self._awaits_dynamo and "torch._dynamo" in sys.modules:
                self._look_for_dynamo()
            name = getattr(func, "__name__", "")
            if type(name) is not str:
                name = ""
            result = call_it(func, args, options)
            if name in _NOTED or not self._is_settled(args, options, result):
                self._look_at(name, Call(args, options, result), caller)
            return result
        except BaseException as error:
            drop_own_frames(error)
            raise
        finally:
            if not self.is_entered:
                # Left while it ran, when it was on no stack.
                leave_when_outside(self)

    def _look_at(self, name: str, call: Call, caller: FrameType) -> None:
        """A call of torch's is over, without an exception; what fails here is missing, and no more."""
        if not self.is_on:
            return
        with torch._C.DisableTorchFunction():
            if name in WATCHED:
                self._note(name, call, caller)
            elif name == _BACKWARD and not self.log.contents.is_comparing:
                self.backward_calls += 1
            if self._places is not None and issubclass(type(call.result), FOLLOWED):
                self._follow(self._places, name, call)

    def looks_again(self) -> bool:
        """At the end of a step: whether the next one is recorded again, and in place of it.

        Without a GPU the first step only learns where tensors are that it did not see being made.
        """
        if self._places is None or not self._places.is_unsure or self._is_second_look:
            return False
        self._is_second_look = True
        return True

    def note_sync(self, call: str = _UNNAMED) -> None:
        """The device was waited for on this thread, in whatever function runs, else in `call`."""
        if not self.is_on:
            return
        if not self.is_entered and call == _UNNAMED:
            self._keep(WAITED, CallFacts(("cuda",)), sys._getframe(1))
            return
        running = _running_function() or call
        # A watched call is noted when it returns.
        if running not in WATCHED:
            self._keep(running, CallFacts(("cuda",)), sys._getframe(1))

    def _look_for_dynamo(self) -> None:
        if self._switch is None:
            self._switch = frame_switch(LineRecorder.__torch_function__)
        self._awaits_dynamo = not self._compilations.look() or self._switch is None

    def _make_way(self) -> None:
        """On the thread that compiles, and before it looks which modes are active."""
        if any(mode is self for mode in function_modes()):
            leave(self)
            self.met_compiler = True

    def _is_settled(self, args: tuple[Any, ...], options: Mapping[str, Any], result: Any) -> bool:
        """Whether nothing is left to be found out of where the result is."""
        try:
            return self._places is None or self._places.settles(args, options, result)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self._lose_places(fault)
            return True

    def _follow(self, places: PredictedDevices, name: str, call: Call) -> None:
        try:
            places.follow(name, call)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self._lose_places(fault)

    def _with_places(self, facts: CallFacts | None, name: str, call: Call) -> CallFacts | None:
        if self._places is None:
            return facts
        try:
            return self._places.added_to(facts, name, call)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self._lose_places(fault)
            return facts

    def _lose_places(self, fault: Exception) -> None:
        let_through(fault)
        self._missing.note("places", fault)
        self._places = None

    def _note(self, name: str, call: Call, caller: FrameType) -> None:
        try:
            facts = WATCHED[name](call)
        except Exception as fault:  # noqa: BLE001 - tensors of any kind, some of which answer nothing
            let_through(fault)
            self._missing.note(f"call.{name}", fault)
            return
        facts = self._with_places(facts, name, call)
        if facts is not None:
            self._keep(facts.call or name, facts, caller)

    def _keep(self, name: str, facts: CallFacts, innermost: FrameType) -> None:
        try:
            self.log.keep(name, facts, innermost)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            let_through(fault)
            self._missing.note(f"call.{name}", fault)


_WATCHES = LineRecorder.__torch_function__.__code__


def _running_function() -> str | None:
    """The name of torch's function that runs on this thread below a recorder of ours."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is _WATCHES:
            # A frame of ours may be asked for its variables.
            name: str | None = frame.f_locals.get("name")
            return name
        frame = frame.f_back
    return None


def _called_directly(func: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """Call it where a tracer or profiler of the program's would see a frame in its caller's name."""
    return func(*args, **options)


def _beneath(func: Any) -> Any:
    """What a function of the program's stands for, that it has put over one of torch's methods.

    It has called the method, and torch hands over what now bears the method's name: it would run again.
    """
    if func.__code__.co_filename.startswith(TORCH):
        return func
    names = (name for name, method in vars(torch.Tensor).items() if method is func)
    return getattr(torch._C.TensorBase, next(names, ""), func)


def _caller_of_torch(frame: FrameType) -> FrameType:
    """Who called a function of torch, from the frame that handed the call to a mode.

    A function written in C hands it over from its caller's own frame.
    """
    public = frame.f_back if frame.f_code is _HAND_OVER else None
    caller = public.f_back if public is not None else frame
    return caller or frame
