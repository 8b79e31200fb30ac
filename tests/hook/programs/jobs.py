"""Trainings of a job: of one process that is a group, and of code that is compiled whole."""

from __future__ import annotations

import contextlib
import multiprocessing
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.distributed as dist
from small_training import STEPS, adamw, call, mlp, state_of, train, train_with
from torch import Tensor, nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset, WeightedRandomSampler
from watching import Watch


@contextlib.contextmanager
def _group() -> Iterator[None]:
    """Of one process, with Gloo."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()


def _whole(model: nn.Module) -> object:
    return [
        (name, p.full_tensor() if isinstance(p, DTensor) else p.detach())
        for name, p in model.named_parameters()
    ]


def static_graph(watch: Watch) -> object:
    with _group():
        model = DistributedDataParallel(mlp(), static_graph=True, gradient_as_bucket_view=True)
        optimizer = adamw(model.parameters())
        with watch() as hook:
            losses = train(hook, model, optimizer)
        return losses, state_of(model.module, optimizer)


def gradients_that_are_compressed(watch: Watch) -> object:
    """Joined every third step, in sixteen bits, and some of the weights without a gradient."""
    with _group():
        model = DistributedDataParallel(
            nn.ModuleDict({"used": mlp(), "unused": nn.Linear(2, 2)}), find_unused_parameters=True
        )
        model.register_comm_hook(None, default_hooks.fp16_compress_hook)
        optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=1e-2)
        losses = []
        with watch() as hook:
            model.module.forward = lambda inputs: model.module["used"](inputs)
            for number in range(STEPS):
                joins = number % 3 == 2
                with contextlib.nullcontext() if joins else model.no_sync():
                    loss = model(torch.randn(6, 8)).pow(2).mean()
                    loss.backward()
                if joins:
                    optimizer.step()
                    optimizer.zero_grad()
                losses.append(loss.item())
                hook.step()
        return losses, _whole(model)


def sharded_weights(watch: Watch) -> object:
    with _group():
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
        mesh = init_device_mesh("cpu", (1,))
        for layer in model:
            fully_shard(layer, mesh=mesh)
        fully_shard(model, mesh=mesh)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, foreach=False)
        losses = []
        with watch() as hook:
            for _ in range(STEPS):
                optimizer.zero_grad()
                loss = model(torch.randn(6, 8)).pow(2).mean()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                hook.step()
        return losses, _whole(model)


def tensors_of_a_mesh(watch: Watch) -> object:
    with _group():
        mesh = init_device_mesh("cpu", (1,))
        weight = distribute_tensor(torch.randn(8, 4), mesh, [Shard(0)]).requires_grad_()
        found = []
        with watch() as hook:
            for _ in range(STEPS):
                inputs = distribute_tensor(torch.randn(6, 8), mesh, [Replicate()])
                loss = (inputs @ weight).redistribute(mesh, [Replicate()]).pow(2).mean()
                (gradient,) = torch.autograd.grad(loss, [weight])
                with torch.no_grad():
                    weight -= 0.1 * gradient
                found.append((loss.full_tensor().item(), weight.to_local().clone(), str(gradient.placements)))
                hook.step()
        return found


def collectives_of_the_program(watch: Watch) -> object:
    with _group():
        found = []
        with watch() as hook:
            for number in range(STEPS):
                values = torch.randn(4)
                work = dist.all_reduce(values, async_op=True)
                objects: list[Any] = [None]
                dist.all_gather_object(objects, {"step": number})
                work.wait()
                dist.barrier()
                found.append((values, objects))
                hook.step()
        return found


class Numbers(IterableDataset[Tensor]):
    """A stream that draws on its own, in each worker."""

    def __iter__(self) -> Iterator[Tensor]:
        for _ in range(6):
            yield torch.randn(8)


def joined(rows: list[Tensor]) -> dict[str, Tensor]:
    return {"rows": torch.stack(rows), "drawn": torch.rand(1)}


def begin_worker(number: int) -> None:
    torch.rand(number + 1)


def workers_that_are_spawned(watch: Watch) -> object:
    loader = DataLoader(
        Numbers(),
        3,
        num_workers=2,
        collate_fn=joined,
        worker_init_fn=begin_worker,
        multiprocessing_context="spawn",
        persistent_workers=True,
        generator=torch.Generator().manual_seed(1),
    )
    found = []
    with watch() as hook:
        for _ in range(4):
            for batch in loader:
                found.append(batch)
                hook.step()
    del loader
    return found, multiprocessing.get_start_method(allow_none=True)


def rows_by_weight(watch: Watch) -> object:
    rows = [(torch.full((8,), float(number)), number % 2) for number in range(40)]
    sampler = WeightedRandomSampler(torch.arange(40).float(), 36, generator=torch.Generator().manual_seed(2))
    loader = DataLoader(rows, batch_sampler=torch.utils.data.BatchSampler(sampler, 4, drop_last=True))
    model = mlp()
    optimizer = adamw(model.parameters())
    losses = []
    with watch() as hook:
        for _ in range(2):
            for inputs, labels in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), labels)
                loss.backward()
                optimizer.step()
                losses.append((loss.item(), labels.tolist()))
                hook.step()
    return losses, state_of(model, optimizer)


def _compiled(watch: Watch, compile_it: Callable[[nn.Module], Callable[[Tensor], Tensor]]) -> object:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    compiled = compile_it(model)
    losses = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(STEPS):
            optimizer.zero_grad()
            loss = compiled(torch.randn(6 + number % 3, 8)).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    counts = {name: dict(values) for name, values in torch._dynamo.utils.counters.items()}
    return losses, counts.get("stats"), counts.get("graph_break"), [p.detach() for p in model.parameters()]


def compiled_whole(watch: Watch) -> object:
    return _compiled(watch, lambda model: torch.compile(model, fullgraph=True, backend="aot_eager"))


def compiled_for_all_sizes(watch: Watch) -> object:
    def compile_it(model: nn.Module) -> Callable[[Tensor], Tensor]:
        model.compile(dynamic=True, backend="eager")
        return model

    found = _compiled(watch, compile_it)
    # Torch's own frames that hand a call to a mode count as frames.
    torch._dynamo.utils.counters.clear()
    return found


def compiled_optimizer(watch: Watch) -> object:
    model = nn.Linear(8, 4)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, foreach=True)

    @torch.compile(backend="eager")
    def step() -> None:
        optimizer.step()

    losses = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = call(model, torch.randn(6, 8)).pow(2).mean()
            loss.backward()
            step()
            losses.append(loss.item())
            hook.step()
    return losses, state_of(model, optimizer)


def compiled_step_that_calls_the_hook(watch: Watch) -> object:
    """With graph breaks, at the hook's own call too."""
    model = nn.Linear(8, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")

        @torch.compile(backend="eager")
        def step(inputs: Tensor) -> Tensor:
            loss = model(inputs).pow(2).mean()
            hook.step()
            return loss * 2

        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = step(torch.randn(6, 8))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    # The call itself is a break in the graph.
    torch._dynamo.utils.counters.clear()
    return losses, state_of(model, optimizer)


def weights_kept_in_lists(watch: Watch) -> object:
    """Functions of many tensors at once, as fused optimizers call them."""

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        outputs = call(model, inputs)
        weights = [weight.detach().clone() for weight in model.parameters()]
        torch._foreach_mul_(weights, 0.999)
        norms = torch._foreach_norm(weights)
        return outputs + 0 * torch.stack(norms).sum()

    return train_with(watch, forward=forward)
