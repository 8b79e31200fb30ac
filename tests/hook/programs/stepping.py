"""Programs that differ in where `step()`, and the other calls of a hook, are made."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import torch
from small_training import STEPS, adamw, mlp, state_of, train
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from watching import Watch


class _Nothing:
    def step(self) -> None:
        pass


def _stepping_in(watch: Watch, where: Callable[[nn.Module, Callable[..., None]], None]) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        where(model, lambda *_: hook.step())
        losses = train(_Nothing(), model, optimizer)
    return losses, state_of(model, optimizer)


def in_forward_hook(watch: Watch) -> object:
    return _stepping_in(watch, lambda model, step: model[2].register_forward_hook(step))


def in_forward_pre_hook(watch: Watch) -> object:
    return _stepping_in(watch, lambda model, step: model.register_forward_pre_hook(step))


def in_backward_hook(watch: Watch) -> object:
    # Torch warns of such hooks so many frames up, and a pass whose end is waited for has one more.
    warnings.filterwarnings("ignore", "Full backward hook is firing")
    return _stepping_in(watch, lambda model, step: model[0].register_full_backward_hook(step))


def in_hook_of_tensor(watch: Watch) -> object:
    return _stepping_in(watch, lambda model, step: model[4].weight.register_hook(step))


def in_post_accumulate_hook(watch: Watch) -> object:
    return _stepping_in(watch, lambda model, step: model[0].weight.register_post_accumulate_grad_hook(step))


def in_hook_of_optimizer(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        optimizer.register_step_post_hook(lambda *_: hook.step())
        losses = train(_Nothing(), model, optimizer)
    return losses, state_of(model, optimizer)


def in_module_that_trains_others(watch: Watch) -> object:
    class System(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = mlp()
            self.optimizer = adamw(self.inner.parameters())

        def forward(self, hook: Any, steps: int) -> list[float]:
            return train(hook, self.inner, self.optimizer, steps=steps)

    system = System()
    losses = []
    with watch() as hook:
        for steps in (4, 1, 2, 10):
            losses += system(hook, steps)
    return losses, state_of(system.inner, system.optimizer)


def _stepping_within(watch: Watch, around: Callable[[], AbstractContextManager[Any]]) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            losses += train(_Nothing(), model, optimizer, steps=1)
            with around():
                model(torch.randn(6, 8))
                hook.step()
                model(torch.randn(6, 8))
    return losses, state_of(model, optimizer)


def within_no_grad(watch: Watch) -> object:
    return _stepping_within(watch, torch.no_grad)


def within_inference_mode(watch: Watch) -> object:
    return _stepping_within(watch, torch.inference_mode)


def within_autocast(watch: Watch) -> object:
    return _stepping_within(watch, lambda: torch.autocast("cpu", torch.bfloat16))


def within_default_device(watch: Watch) -> object:
    return _stepping_within(watch, lambda: torch.device("cpu"))


def within_forked_random_numbers(watch: Watch) -> object:
    return _stepping_within(watch, torch.random.fork_rng)


def within_recorded_range(watch: Watch) -> object:
    return _stepping_within(watch, lambda: torch.profiler.record_function("validation"))


class Functions(TorchFunctionMode):
    """Counts what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


class Operators(TorchDispatchMode):
    """Counts what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def within_function_mode(watch: Watch) -> object:
    mode = Functions()
    return _stepping_within(watch, lambda: mode), mode.names


def within_dispatch_mode(watch: Watch) -> object:
    mode = Operators()
    return _stepping_within(watch, lambda: mode), mode.names


def modes_within_steps(watch: Watch) -> object:
    functions, operators = Functions(), Operators()
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    # With call stacks, torch's own profiler asks each parameter for its gradient.
    with watch(with_stack=False) as hook:
        for _ in range(STEPS):
            with functions, operators:
                losses += train(_Nothing(), model, optimizer, steps=1)
            hook.step()
    return losses, functions.names, operators.names, state_of(model, optimizer)


def modes_around_everything(watch: Watch) -> object:
    functions, operators = Functions(), Operators()
    model = mlp()
    optimizer = adamw(model.parameters())
    with functions, operators, watch() as hook:
        losses = train(hook, model, optimizer)
    return losses, functions.names, operators.names, state_of(model, optimizer)


def mode_that_lasts_from_step_to_step(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    mode, losses = Functions(), []
    with watch() as hook:
        for step in range(STEPS):
            if step % 3 == 1:
                mode.__enter__()
            losses += train(hook, model, optimizer, steps=1)
            if step % 3 == 2:
                mode.__exit__(None, None, None)
    return losses, mode.names, state_of(model, optimizer)


def on_another_thread(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses: list[float] = []
    with watch() as hook:
        for part in (5, 7, 5):
            target = lambda part=part: losses.extend(train(hook, model, optimizer, steps=part))  # noqa: E731
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
    return losses, state_of(model, optimizer)


def on_two_threads_at_once(watch: Watch) -> object:
    """Each with a model and random numbers of its own."""
    found: dict[int, object] = {}

    def run(number: int) -> None:
        generator = torch.Generator().manual_seed(number)
        model = nn.Linear(8, 4)
        with torch.no_grad():
            for weights in model.parameters():
                weights.uniform_(generator=generator)
        losses = []
        for _ in range(STEPS):
            loss = model(torch.randn(6, 8, generator=generator)).pow(2).mean()
            model.zero_grad()
            loss.backward()
            with torch.no_grad():
                for weights in model.parameters():
                    weights.sub_(0.01 * weights.grad)
            losses.append(loss.item())
            hook.step()
        found[number] = losses, list(model.parameters())

    state = torch.get_rng_state()
    with watch() as hook:
        threads = [threading.Thread(target=run, args=(number,)) for number in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    torch.set_rng_state(state)
    return sorted(found.items(), key=lambda item: item[0])


def after_close(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    hook = watch()
    losses = train(hook, model, optimizer, steps=5)
    hook.close()
    losses += train(hook, model, optimizer, steps=5)
    hook.close()
    with hook:
        losses += train(hook, model, optimizer, steps=5)
    return losses, state_of(model, optimizer)


def without_close(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = train(watch(), model, optimizer, steps=12)
    print(losses)
    return None


def in_signal_handler(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        signal.signal(signal.SIGUSR1, lambda *_: hook.step())
        losses = train(_Raising(), model, optimizer)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    return losses, state_of(model, optimizer)


def in_the_handler_of_a_quick_timer(watch: Watch) -> object:
    """It comes again before a step is over."""
    with torch.profiler.record_function("first"):
        # Torch imports a module here, and Python 3.11 can lose an import that a handler interrupts.
        pass
    model = mlp()
    optimizer = adamw(model.parameters())
    with watch() as hook:
        signal.signal(signal.SIGALRM, lambda *_: hook.step())
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0007)
        losses = train(hook, model, optimizer, steps=3 * STEPS)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    return losses, state_of(model, optimizer)


class _Raising:
    """Hands the step on to a signal's handler."""

    def step(self) -> None:
        signal.raise_signal(signal.SIGUSR1)


def pauses_and_phases(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for step in range(STEPS):
            losses += train(hook, model, optimizer, steps=1)
            if step % 4 == 1:
                hook.pause()
            if step % 4 == 2:
                hook.resume()
            with hook.phase("evaluation"), torch.no_grad():
                losses.append(model(torch.randn(6, 8)).sum().item())
    return losses, state_of(model, optimizer)


def exceptions_that_are_caught(watch: Watch) -> object:
    """Every third step raises, in the midst of nested modules."""

    class Raising(nn.Module):
        calls = 0

        def forward(self, inputs: Tensor) -> Tensor:
            Raising.calls += 1
            if Raising.calls % 3 == 0:
                raise ValueError(f"not finite in step {Raising.calls}")
            return inputs

    model = nn.Sequential(
        nn.Linear(8, 8), nn.Sequential(nn.Sequential(Raising()), nn.Tanh()), nn.Linear(8, 4)
    )
    optimizer = adamw(model.parameters())
    found: list[object] = []
    with watch() as hook:
        for _ in range(STEPS):
            try:
                found.append(train(_Nothing(), model, optimizer, steps=1))
            except ValueError as error:
                frames = []
                trace = error.__traceback__
                while trace is not None:
                    frames.append(trace.tb_frame.f_code.co_name)
                    trace = trace.tb_next
                found.append((str(error), frames[-1], error.__context__, error.__cause__))
            hook.step()
    return found, state_of(model, optimizer)


def exception_that_leaves(watch: Watch) -> object:
    with watch() as hook:
        train(hook, mlp(), torch.optim.SGD(mlp().parameters()), steps=4)
        raise RuntimeError("the loss is not finite")


def exit_code_of_its_own(watch: Watch) -> object:
    with watch() as hook:
        train(hook, mlp(), torch.optim.SGD(mlp().parameters()), steps=4)
        raise SystemExit(7)


def generators(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())

    def steps(hook: Any) -> Iterator[float]:
        for _ in range(STEPS):
            yield from train(hook, model, optimizer, steps=1)

    hook = watch()
    running = steps(hook)
    losses = [next(running) for _ in range(4)]
    pairs = zip(running, iter(int, 1))
    losses += [loss for loss, _ in pairs]
    hook.close()
    return losses, state_of(model, optimizer)


def coroutines(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    order: list[object] = []

    async def training(hook: Any) -> None:
        for _ in range(STEPS):
            order.extend(train(hook, model, optimizer, steps=1))
            await asyncio.sleep(0)

    async def other() -> None:
        for number in range(STEPS):
            order.append(number)
            await asyncio.sleep(0)

    async def both() -> None:
        with watch() as hook:
            await asyncio.gather(training(hook), other())

    asyncio.run(both())
    return order, state_of(model, optimizer)


def within_another_s_profiler_with_stacks(watch: Watch) -> object:
    """In the warm-up, when the calls of modules are marked already."""
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for step in range(STEPS):
            with torch.profiler.profile(with_stack=True) if step == 2 else contextlib.nullcontext():
                losses += train(hook, model, optimizer, steps=1)
    return losses, state_of(model, optimizer)


def within_another_s_profiler(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for step in range(STEPS):
            with torch.profiler.profile() if step in (3, 6, 8) else contextlib.nullcontext() as profiler:
                losses += train(hook, model, optimizer, steps=1)
            if profiler is not None:
                losses.append(sum(row.count for row in profiler.key_averages() if row.key == "aten::addmm"))
    return losses, state_of(model, optimizer)
