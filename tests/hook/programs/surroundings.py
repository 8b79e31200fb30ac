"""Programs that do other things in their process while they train."""

from __future__ import annotations

import contextvars
import gc
import logging
import os
import random
import signal
import subprocess
import sys
import threading
import tracemalloc
import warnings
import weakref
from typing import Any

import numpy as np
import torch
from small_training import STEPS, adamw, call, mlp, state_of, train, train_with
from torch import Tensor, nn
from watching import Watch


def collector_that_is_off(watch: Watch) -> object:
    gc.disable()
    gc.freeze()
    return train_with(watch), gc.isenabled()


def collector_that_calls_back(watch: Watch) -> object:
    drawn = []
    gc.callbacks.append(lambda phase, _: drawn.append(phase))
    with watch() as hook:
        for _ in range(STEPS):
            gc.collect()
            hook.step()
    gc.callbacks.clear()
    return sorted(set(drawn))


def memory_that_is_traced(watch: Watch) -> object:
    tracemalloc.start()
    result = train_with(watch)
    is_tracing = tracemalloc.is_tracing(), tracemalloc.get_traceback_limit()
    tracemalloc.stop()
    return result, is_tracing


def lines_that_are_traced(watch: Watch) -> object:
    own: list[str] = []

    def trace(frame: Any, event: str, _: object) -> Any:
        if frame.f_code.co_filename == __file__:
            own.append(f"{frame.f_code.co_name} {event}")
        return trace

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        doubled = inputs * 2
        return call(model, doubled)

    sys.settrace(trace)
    result = train_with(watch, forward=forward)
    kept = sys.gettrace() is trace
    sys.settrace(None)
    return result, own, kept


def calls_that_are_profiled(watch: Watch) -> object:
    own: list[str] = []

    def profile(frame: Any, event: str, _: object) -> None:
        if frame.f_code.co_filename == __file__ and event in ("call", "return"):
            own.append(f"{frame.f_code.co_name} {event}")

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        return call(model, inputs * 2)

    model = mlp()
    optimizer = adamw(model.parameters())
    kept = []
    with watch(with_stack=False) as hook:
        sys.setprofile(profile)
        losses = []
        for _ in range(STEPS):
            losses += train(hook, model, optimizer, steps=1, forward=forward)
            kept.append(sys.getprofile() is profile)
        sys.setprofile(None)
    return losses, own, kept, state_of(model, optimizer)


def finalizers(watch: Watch) -> object:
    order: list[str] = []

    class Holder:
        def __init__(self, number: int) -> None:
            self.tensor = torch.randn(4)
            weakref.finalize(self, order.append, f"{number} is gone")

    with watch() as hook:
        for number in range(STEPS):
            held = Holder(number)
            weakref.finalize(held.tensor, order.append, f"tensor {number}")
            del held
            order.append(f"step {number}")
            hook.step()
    return order


def variables_of_contexts(watch: Watch) -> object:
    variable = contextvars.ContextVar("variable", default=0)
    found = []
    with watch() as hook:
        for number in range(STEPS):
            variable.set(number)
            hook.step()
            found.append((variable.get(), [str(kept.name) for kept in contextvars.copy_context()]))
    return found


def child_that_is_waited_for(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        losses = train(hook, model, optimizer, steps=4)
        child = os.fork()
        if child == 0:
            os._exit(7)
        _, status = os.waitpid(child, 0)
        losses += train(hook, model, optimizer)
    return losses, os.waitstatus_to_exitcode(status), state_of(model, optimizer)


def any_child_that_ends(watch: Watch) -> object:
    """As launchers and supervisors wait."""
    found = []
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        for step in range(STEPS):
            train(hook, model, optimizer, steps=1)
            child = os.fork()
            if child == 0:
                os._exit(step)
            ended, status = os.wait()
            found.append((ended == child, os.waitstatus_to_exitcode(status)))
    return found


def signals_of_children(watch: Watch) -> object:
    ended: list[int] = []

    def note(*_: object) -> None:
        ended.append(1)

    signal.signal(signal.SIGCHLD, note)
    with watch() as hook:
        for _ in range(STEPS):
            child = os.fork()
            if child == 0:
                os._exit(0)
            os.waitpid(child, 0)
            hook.step()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    return len(ended)


def processes_that_are_started(watch: Watch) -> object:
    found = []
    with watch() as hook:
        for step in range(STEPS):
            ended = subprocess.run(["sh", "-c", f"exit {step}"], check=False)
            found.append((ended.returncode, len(subprocess._active)))  # type: ignore[attr-defined]
            hook.step()
    return found


def children_that_train(watch: Watch) -> object:
    import torch.multiprocessing as mp

    context = mp.get_context("fork")
    answers = context.SimpleQueue()
    model = mlp().share_memory()
    losses = []

    def work(hook: Any, number: int) -> None:
        torch.manual_seed(number)
        # Python draws a new one in each child.
        random.seed(number)
        answers.put(train(hook, model, torch.optim.SGD(model.parameters(), lr=0.0), steps=3))

    with watch() as hook:
        for number in range(4):
            losses += train(hook, model, adamw(model.parameters()), steps=2)
            child = context.Process(target=work, args=(hook, number))
            child.start()
            losses += answers.get()
            child.join()
            losses.append(child.exitcode)
    return losses, state_of(model)


def timers(watch: Watch) -> object:
    """A time limit in each step, that is never reached."""
    rest = []
    model = mlp()
    optimizer = adamw(model.parameters())
    signal.signal(signal.SIGALRM, lambda *_: rest.append(1))
    with watch() as hook:
        for _ in range(STEPS):
            signal.setitimer(signal.ITIMER_REAL, 100)
            train(hook, model, optimizer, steps=1)
            rest.append(signal.setitimer(signal.ITIMER_REAL, 0)[0] > 50)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return rest, state_of(model, optimizer)


def log_handlers_that_raise(watch: Watch) -> object:
    class Raising(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError(record.getMessage())

    logging.getLogger("tbprof").addHandler(Raising())
    logging.getLogger("tbprof").setLevel(logging.DEBUG)
    return train_with(watch)


def warnings_as_errors(watch: Watch) -> object:
    warnings.simplefilter("error")
    return train_with(watch), len(warnings.filters)


def warnings_that_are_caught(watch: Watch) -> object:
    caught = []

    def show(message: Any, category: Any, *_: object) -> None:
        caught.append((str(message)[:60], category.__name__))

    warnings.showwarning = show
    warnings.simplefilter("always")

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        warnings.warn("a warning of the program's own", stacklevel=2)
        return call(model, inputs)

    result = train_with(watch, forward=forward)
    return result, caught, warnings.showwarning is show


def names_that_are_gone(watch: Watch) -> object:
    """A program that takes a function of torch's away while it trains."""
    import torch.nn.functional as functional

    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    kept = []
    with watch() as hook:
        for step in range(STEPS):
            losses += train(hook, model, optimizer, steps=1)
            if step in (3, 5, 8):
                kept.append((torch.nonzero, functional.rrelu))
                del torch.nonzero, functional.rrelu
            elif step in (4, 6, 9):
                torch.nonzero, functional.rrelu = kept.pop()
    return losses, hasattr(torch, "nonzero"), state_of(model, optimizer)


def _patched(watch: Watch, first: int, last: int) -> object:
    item, call_of_module, add = Tensor.item, nn.Module.__call__, torch.add
    seen: list[str] = []
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for step in range(STEPS):
            if step == first:

                def own_item(tensor: Tensor, before: Any = Tensor.item) -> Any:
                    seen.append("item")
                    return before(tensor)

                def own_call(self: nn.Module, *given: Any, before: Any = nn.Module.__call__, **o: Any) -> Any:
                    seen.append(type(self).__name__)
                    return before(self, *given, **o)

                def own_add(*given: Any, before: Any = torch.add, **o: Any) -> Any:
                    seen.append("add")
                    return before(*given, **o)

                Tensor.item, nn.Module.__call__, torch.add = own_item, own_call, own_add
            losses += train(hook, model, optimizer, steps=1)
            losses.append(torch.add(torch.ones(1), 1).item())
            seen.append(f"{Tensor.item.__name__} {torch.add.__name__}")
            if step == last:
                Tensor.item, nn.Module.__call__, torch.add = item, call_of_module, add
    after = len(seen)
    call(model, torch.randn(6, 8))
    is_kept = Tensor.item is item, nn.Module.__call__ is call_of_module, torch.add is add
    return losses, seen, after, is_kept, state_of(model, optimizer)


def patched_before_an_audit_step(watch: Watch) -> object:
    return _patched(watch, 0, STEPS - 1)


def patched_from_recorded_to_audit_step(watch: Watch) -> object:
    return _patched(watch, 4, 5)


def patched_from_audit_step_on(watch: Watch) -> object:
    return _patched(watch, 5, 11)


def patched_from_warm_up_to_memory_step(watch: Watch) -> object:
    return _patched(watch, 2, 9)


def descriptors_and_folder(watch: Watch) -> object:
    """A program that closes all that it does not know, and goes elsewhere."""
    found = []
    with watch() as hook:
        for step in range(STEPS):
            if step == 8:
                os.chdir("/")
            found.append(
                (os.getcwd() == "/", os.environ.get("KINETO_LOG_LEVEL"), sorted(map(str, sys.flags)))
            )
            hook.step()
    return found


def random_numbers_in_finalizers(watch: Watch) -> object:
    """Draws where an object dies; the hook must make none die at another time."""

    class Drawing:
        def __del__(self) -> None:
            np.random.rand()
            torch.rand(1)

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        drawing = Drawing()
        outputs = call(model, inputs)
        del drawing
        return outputs

    return train_with(watch, forward=forward)


def tensors_that_die_in_their_step(watch: Watch) -> object:
    """How many of them there are, at the end of each step."""
    living: weakref.WeakSet[Tensor] = weakref.WeakSet()

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        living.add(inputs)
        return call(model, inputs)

    model = mlp()
    optimizer = adamw(model.parameters())
    counts = []
    gc.disable()
    with watch() as hook:
        for _ in range(STEPS):
            train(hook, model, optimizer, steps=1, forward=forward)
            counts.append(len(living))
    gc.enable()
    return counts


def threads_of_its_own(watch: Watch) -> object:
    """Count, and work beside the training."""
    stop = threading.Event()
    results: list[Tensor] = []

    def beside() -> None:
        layer = nn.Linear(3, 3)
        while not stop.wait(0.001):
            results.append(layer(torch.ones(2, 3)).sum().detach())

    state = torch.get_rng_state()
    thread = threading.Thread(target=beside)
    thread.start()
    torch.set_rng_state(state)
    names = []
    with watch() as hook:
        for _ in range(STEPS):
            names.append(len(threading.enumerate()))
            hook.step()
    stop.set()
    thread.join()
    torch.set_rng_state(state)
    return names, len({float(result) for result in results}) <= 1
