"""Programs at the corners of what torch and Python allow."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
import threading
import traceback
import warnings
import weakref
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import torch
from seen_values import digest, seed
from small_training import STEPS, adamw, call, each_step, mlp, state_of, train, train_with
from torch import Tensor, nn
from watching import Watch


def swapped_tensors(watch: Watch) -> object:
    """Weights that change places with others, of themselves and as a module is converted."""
    torch.__future__.set_swap_module_params_on_conversion(True)

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        first, second = torch.ones(3), inputs.sum(0)[:3]
        torch.utils.swap_tensors(first, second)
        return call(model.double().float(), inputs) * first.sum()

    def trained(**options: Any) -> object:
        model = mlp()
        optimizer = adamw(model.parameters())
        kept = torch.zeros(4), torch.arange(4.0)
        losses = []
        with watch(**options) as hook:
            for _ in range(STEPS):
                losses += train(hook, model, optimizer, steps=1, forward=forward)
                kept[0].add_(1)
                torch.utils.swap_tensors(*kept)
                (gradient,) = torch.autograd.grad(kept[1].requires_grad_().square().sum(), kept[1])
                torch.utils.swap_tensors(gradient, torch.zeros(4))
                kept[1].requires_grad_(False)
        return losses, kept, state_of(model)

    return trained(), trained(record_shapes=True)


def tracebacks_of_errors(watch: Watch) -> object:
    """Where each error went through, but for torch's own frames: it has others where a mode is active."""

    def fails_in_backward(gradient: Tensor) -> Tensor:
        raise ValueError(gradient.shape)

    class Failing(nn.Module):
        def forward(self, inputs: Tensor) -> Tensor:
            return inputs @ torch.ones(3, 3)

    failing = nn.Sequential(nn.Linear(4, 4), Failing())
    weight = torch.ones(2, requires_grad=True)
    weight.register_hook(fails_in_backward)
    causes: tuple[Callable[[], object], ...] = (
        lambda: failing(torch.ones(2, 4)),
        lambda: torch.cat([torch.ones(2), torch.ones(2, 2)]),
        lambda: torch.ones(2).item(),
        lambda: torch.ones(3).to("nowhere"),
        lambda: weight.sum().backward(),
        lambda: torch.jit.trace(lambda x: x @ torch.ones(7, 7), torch.ones(2, 2)),
    )
    # Python 3.10 has no way to leave them out.
    not_seen = [str(Path(torch.__file__).parent), *(["tbprof/hook"] if sys.version_info < (3, 11) else [])]

    def frames() -> object:
        found: list[object] = []
        for cause in causes:
            try:
                cause()
            except (RuntimeError, ValueError) as error:
                stack = traceback.extract_tb(error.__traceback__)
                found.append([one for one in stack if not any(part in one.filename for part in not_seen)])
        return found

    return each_step(watch, frames)


def questions_that_are_kept(watch: Watch) -> object:
    """Who asks for modes may have kept the function anywhere, since before the hook began."""

    class Asks:
        question = staticmethod(torch.overrides.has_torch_function)

    def by_default(given: object, ask: Any = torch._C._has_torch_function_unary) -> object:
        return ask(given)

    length = torch._C._len_torch_function_stack
    asks = [torch.overrides.has_torch_function_variadic]
    active = partial(torch._C._is_torch_function_mode_enabled)

    def step() -> object:
        one = torch.ones(1)
        return Asks.question((one,)), by_default(one), length(), asks[0](one, one), active(), one.item()

    return each_step(watch, step)


def address_space_that_is_limited(watch: Watch) -> object:
    """No more than half a GiB above what is used as the training begins."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 29), resource.RLIM_INFINITY))
    try:
        return train_with(watch)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def descriptors_that_are_used_up(watch: Watch) -> object:
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, limit[1]))
    held = []
    try:
        while True:
            held.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    try:
        return train_with(watch), len(held) > 0
    finally:
        for one in held:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


def folder_that_is_gone(watch: Watch) -> object:
    """The working directory is removed while the program is in it."""
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
    try:
        return train_with(watch)
    finally:
        os.chdir(home)


def environment_that_is_cleared(watch: Watch) -> object:
    before = dict(os.environ)
    os.environ.clear()
    try:
        return train_with(watch), dict(os.environ)
    finally:
        os.environ.update(before)


def imports_that_are_refused(watch: Watch) -> object:
    """Nothing is imported any more once the first step is over."""

    class Refuses:
        is_on = False

        def find_spec(self, name: str, *_: object) -> None:
            if self.is_on:
                raise ImportError(name)

    refuses = Refuses()
    model = mlp()
    optimizer = adamw(model.parameters())
    sys.meta_path.insert(0, refuses)  # type: ignore[arg-type]
    try:
        with watch() as hook:
            losses = train(hook, model, optimizer, steps=1)
            refuses.is_on = True
            losses += train(hook, model, optimizer)
    finally:
        sys.meta_path.remove(refuses)  # type: ignore[arg-type]
    return losses, state_of(model)


def files_that_are_refused(watch: Watch) -> object:
    """An audit hook of Python's that lets nothing be written, nor a process or a thread be started."""
    refused = [False]

    def audit(event: str, given: tuple[object, ...]) -> None:
        writes = event == "open" and any(letter in str(given[1]) for letter in "wax+")
        if refused[0] and (writes or event in ("subprocess.Popen", "os.fork", "os.rename", "os.mkdir")):
            raise PermissionError(event)

    sys.addaudithook(audit)
    refused[0] = True
    try:
        return train_with(watch)
    finally:
        refused[0] = False


def small_numbers_that_are_flushed(watch: Watch) -> object:
    """The processor's own mode for denormal numbers belongs to each thread."""
    if not torch.set_flush_denormal(True):
        return None
    try:
        return each_step(watch, lambda: (torch.full((64,), 1e-38) * torch.rand(64)).sum())
    finally:
        torch.set_flush_denormal(False)


def threads_that_take_turns_quickly(watch: Watch) -> object:
    """Other threads compute on their own while each step is taken, with switches every few microseconds."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    stop = threading.Event()
    sums: list[list[float]] = [[], [], []]

    def work(mine: list[float]) -> None:
        generator = torch.Generator().manual_seed(len(mine))
        while len(mine) < 40 or not stop.is_set():
            value = torch.rand(16, generator=generator).requires_grad_()
            (value * 2).sum().backward()
            mine.append(value.detach().sum().item())

    threads = [threading.Thread(target=work, args=(mine,)) for mine in sums]
    for thread in threads:
        thread.start()
    try:
        return train_with(watch), [mine[:40] for mine in sums]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)


def references_that_are_counted(watch: Watch) -> object:
    """How many references there are to what a step has."""
    model = mlp()

    def step() -> object:
        outputs = model(torch.randn(6, 8))
        outputs.sum().backward()
        outputs = outputs.detach()
        weight = model[0].weight
        # A gradient that is followed has a weak reference.
        weak = [weakref.getweakrefcount(one) for one in (outputs, weight)]
        return weak, [sys.getrefcount(one) for one in (outputs, weight, weight.grad)], outputs._use_count()

    return each_step(watch, step)


def attributes_that_are_counted(watch: Watch) -> object:
    """A module and an optimizer of the program's that count what is asked of them."""
    asked: Counter[str] = Counter()

    class Counts(nn.Linear):
        def __getattribute__(self, name: str) -> Any:
            asked[name] += 1
            return super().__getattribute__(name)

    class CountsToo(torch.optim.SGD):
        def __getattribute__(self, name: str) -> Any:
            asked[name] += 1
            return super().__getattribute__(name)

    found = train_with(
        watch, model=lambda: nn.Sequential(Counts(8, 4)), optimizer=lambda given: CountsToo(given, lr=0.1)
    )
    # Torch's own code asks for hooks and groups more often while it tells of steps and modules.
    return found, asked["__dict__"], asked["training"], asked["weight"]


def forks_of_each_step(watch: Watch) -> object:
    """Children that compute, and look how much they grow by it."""
    torch.set_num_threads(1)

    def pages() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1])

    def step() -> object:
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1]
        one = torch.ones(2) + 1
        before = pages()
        for _ in range(10_000):
            one = one + 1
        is_profiled = torch.autograd.profiler._is_profiler_enabled or sys.getprofile() is not None
        os._exit(2 * is_profiled + (pages() - before > 1_500))

    # Torch goes on to note what is allocated, where that is recorded.
    return each_step(watch, step, profile_memory=False)


def operators_that_come_and_go(watch: Watch) -> object:
    """Each step makes an operator of its own, and takes it back."""
    made = count()

    def step() -> object:
        name = f"double{next(made)}"
        with torch.library._scoped_library("corners", "FRAGMENT") as library:
            library.define(f"{name}(Tensor x) -> Tensor")
            library.impl(name, lambda x: x * 2, "CompositeExplicitAutograd")
            return getattr(torch.ops.corners, name)(torch.rand(3))

    return each_step(watch, step)


def work_of_torchscript_s_threads(watch: Watch) -> object:
    def slow(x: Tensor) -> Tensor:
        return x.mm(x).relu()

    def step() -> object:
        futures = [torch.jit.fork(slow, torch.rand(8, 8)) for _ in range(3)]
        return [torch.jit.wait(future) for future in futures]

    return each_step(watch, step)


def tensors_that_are_shared(watch: Watch) -> object:
    """Storages in shared memory that a forked child writes into."""

    def step() -> object:
        shared = torch.zeros(4).share_memory_()
        child = os.fork()
        if not child:
            shared.add_(torch.arange(4.0))
            os._exit(3)
        return os.waitpid(child, 0)[1], shared, shared.is_shared()

    return each_step(watch, step)


def warnings_of_forward(watch: Watch) -> object:
    """A module that warns in the name of who called it, and one that looks at its callers."""

    class Warns(nn.Module):
        def forward(self, inputs: Tensor) -> Tensor:
            for level in range(1, 7):
                warnings.warn("as it is called", stacklevel=level)
            frames.append([Path(one.filename).name for one in traceback.extract_stack()[-7:]])
            return inputs

    frames: list[object] = []
    model = nn.Sequential(Warns())

    def step() -> object:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model(torch.ones(2))
        return [(Path(one.filename).name, one.lineno) for one in caught]

    # Torch's own hooks for all modules, which a followed step has, are a frame more.
    return each_step(watch, step, memory=False), frames


def ranks_that_are_forked(watch: Watch) -> object:
    """Two processes that train one model together, by gloo."""

    def train_one(rank: int, place: str, answers: Any) -> None:
        torch.distributed.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=2)
        seed()
        torch.manual_seed(rank)
        model = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4)))
        optimizer = adamw(model.parameters())
        with watch(worker=f"w{rank}") as hook:
            losses = train(hook, model, optimizer)
        answers.put((rank, losses, digest(dict(model.state_dict()))))
        torch.distributed.destroy_process_group()

    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            context.Process(target=train_one, args=(rank, f"{folder}/meeting", answers)) for rank in (0, 1)
        ]
        for one in ranks:
            one.start()
        found = sorted(answers.get() for _ in ranks)
        for one in ranks:
            one.join()
    return found, [one.exitcode for one in ranks]
