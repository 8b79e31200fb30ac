"""Trainings that differ in what they are for."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.autograd.forward_ad as forward_ad
from small_training import STEPS, adamw, mlp, state_of, train_with
from torch import Tensor, nn
from torch.func import functional_call, grad, grad_and_value, vmap
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.functional import (
    cross_entropy,
    ctc_loss,
    grid_sample,
    gumbel_softmax,
    kl_div,
    log_softmax,
    one_hot,
    softmax,
)
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts, LinearLR, ReduceLROnPlateau, SequentialLR
from watching import Watch


def _steps(watch: Watch, step: Callable[[], object], *models: nn.Module) -> object:
    """What each step gives, and what became of the models."""
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            found.append(step())
            hook.step()
    return found, [state_of(model) for model in models], torch.rand(1)


@torch.library.custom_op("tbprof_tests::scaled", mutates_args=())
def scaled(x: Tensor, factor: float) -> Tensor:
    return x * factor + torch.where(x > 0, x, 1)


def _keep_factor(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:  # noqa: ARG001 - as torch calls it
    ctx.factor = inputs[1]


scaled.register_autograd(lambda ctx, given: (given * ctx.factor, None), setup_context=_keep_factor)


def operators_that_are_written_in_python(watch: Watch) -> object:
    weight = nn.Parameter(torch.randn(4, 4))
    optimizer = torch.optim.SGD([weight], lr=1e-2)

    def step() -> object:
        x = torch.randn(3, 4)
        chosen = torch.cond(x.sum() > 0, lambda one: one.sin(), lambda one: one.cos(), (x,))
        with forward_ad.dual_level():
            tangent = forward_ad.unpack_dual(forward_ad.make_dual(x, torch.ones_like(x)) @ weight).tangent
        loss = scaled(x @ weight, 2.0).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return chosen, tangent, loss.item(), str(make_fx(lambda one: (one * 2).sin())(x).code)

    return _steps(watch, step), weight


def functional_gradients(watch: Watch) -> object:
    """No module holds what is trained."""
    model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    weights = {name: weight.detach() for name, weight in model.named_parameters()}

    def loss_of(given: dict[str, Tensor], inputs: Tensor, wanted: Tensor) -> Tensor:
        return (functional_call(model, given, (inputs,)) - wanted).pow(2).mean()

    def step() -> object:
        inputs = torch.randn(6, 8)
        found, loss = grad_and_value(loss_of)(weights, inputs, inputs.sum(1, keepdim=True))
        for_each = vmap(grad(loss_of), (None, 0, 0))(weights, inputs, inputs.sum(1, keepdim=True))
        for name in weights:
            weights[name] = weights[name] - 0.01 * found[name]
        return loss.item(), {name: value.norm() for name, value in for_each.items()}

    return _steps(watch, step, model), weights


def learning_to_learn(watch: Watch) -> object:
    """An optimizer within another one's step, which is differentiated."""
    model = nn.Linear(8, 1)
    outer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def step() -> object:
        inner_weights = {name: weight.clone() for name, weight in model.named_parameters()}
        for _ in range(2):
            inputs = torch.randn(5, 8)
            loss = (functional_call(model, inner_weights, inputs) - inputs[:, :1]).pow(2).mean()
            found = torch.autograd.grad(loss, tuple(inner_weights.values()), create_graph=True)
            inner_weights = {
                name: weight - 0.1 * g for (name, weight), g in zip(inner_weights.items(), found, strict=True)
            }
        outer.zero_grad()
        inputs = torch.randn(5, 8)
        loss = (functional_call(model, inner_weights, inputs) - inputs[:, :1]).pow(2).mean()
        loss.backward()
        outer.step()
        return loss.item()

    return _steps(watch, step, model)


class Lookahead(torch.optim.Optimizer):
    """Holds another optimizer, and goes half of its way each fifth step."""

    def __init__(self, inner: torch.optim.Optimizer) -> None:
        self.inner = inner
        super().__init__([weight for group in inner.param_groups for weight in group["params"]], {})
        self.slow = [weight.detach().clone() for weight in self.param_groups[0]["params"]]
        self.taken = 0

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        result = self.inner.step(closure)
        self.taken += 1
        if self.taken % 5 == 0:
            for slow, weight in zip(self.slow, self.param_groups[0]["params"], strict=True):
                slow.add_(weight - slow, alpha=0.5)
                weight.copy_(slow)
        return result


def optimizer_around_an_optimizer(watch: Watch) -> object:
    return train_with(watch, optimizer=lambda weights: Lookahead(adamw(weights)))


def quantization_aware(watch: Watch) -> object:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.qconfig = torch.ao.quantization.get_default_qat_qconfig("x86")
        prepared = torch.ao.quantization.prepare_qat(model.train())
    optimizer = torch.optim.SGD(prepared.parameters(), lr=0.01)

    def step() -> object:
        optimizer.zero_grad()
        outputs = prepared(torch.randn(6, 8))
        outputs.pow(2).mean().backward()
        optimizer.step()
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")
            converted = torch.ao.quantization.convert(copy.deepcopy(prepared).eval())
        return outputs, str(converted)

    return _steps(watch, step, prepared)


def sparse_and_dense_weights(watch: Watch) -> object:
    bags, head = nn.EmbeddingBag(50, 8, sparse=True, mode="sum"), nn.Linear(8, 2)
    optimizers = torch.optim.SparseAdam(list(bags.parameters())), torch.optim.Adagrad(head.parameters())

    def step() -> object:
        indices, offsets = torch.randint(50, (12,)), torch.tensor([0, 3, 3, 9])
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss = cross_entropy(head(bags(indices, offsets)), torch.tensor([0, 1, 0, 1]))
        loss.backward()
        is_sparse = bags.weight.grad is not None and bags.weight.grad.is_sparse
        for optimizer in optimizers:
            optimizer.step()
        return loss.item(), is_sparse

    return _steps(watch, step, bags, head)


def teacher_and_student(watch: Watch) -> object:
    teacher = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=True
    ).eval()
    student = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8))
    optimizer = adamw(student.parameters())

    def step() -> object:
        inputs = torch.randn(3, 5, 8)
        is_padding = torch.arange(5) >= torch.randint(2, 6, (3, 1))
        with torch.inference_mode():
            wanted = teacher(inputs, src_key_padding_mask=is_padding)
        optimizer.zero_grad()
        found = student(inputs)
        loss = kl_div(log_softmax(found, -1), softmax(wanted.clone(), -1), reduction="batchmean")
        loss.backward()
        optimizer.step()
        student.eval()
        with torch.no_grad():
            agreed = (student(inputs).argmax(-1) == wanted.argmax(-1)).float().mean().item()
        student.train()
        return loss.item(), agreed, wanted.clone()

    return _steps(watch, step, teacher, student)


class Momentum(nn.Module):
    """An encoder, one that follows it, and a queue of what that gave."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.follower = nn.Linear(8, 4), nn.Linear(8, 4)
        self.follower.requires_grad_(False)
        self.queue: Tensor
        self.register_buffer("queue", torch.randn(16, 4))
        self.at = 0

    def forward(self, inputs: Tensor) -> Tensor:
        with torch.no_grad():
            for ours, theirs in zip(self.follower.parameters(), self.encoder.parameters(), strict=True):
                ours.mul_(0.99).add_(theirs, alpha=0.01)
            keys = self.follower(inputs.flip(1))
        queries = self.encoder(inputs)
        alike = (queries * keys).sum(1, keepdim=True)
        others = queries @ self.queue.clone().T
        self.queue[self.at : self.at + 4] = keys
        self.at = (self.at + 4) % 16
        return cross_entropy(torch.cat([alike, others], 1), torch.zeros(4, dtype=torch.long))


def contrasts_with_a_queue(watch: Watch) -> object:
    model = Momentum()
    optimizer = torch.optim.SGD(model.encoder.parameters(), lr=0.1, momentum=0.9, nesterov=True)

    def step() -> object:
        optimizer.zero_grad(set_to_none=False)
        loss = model(torch.randn(4, 8))
        loss.backward()
        optimizer.step()
        return loss.item()

    return _steps(watch, step, model)


class Experts(nn.Module):
    """Each row goes to two of four layers."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, rows: Tensor) -> Tensor:
        shares, chosen = softmax(self.gate(rows), -1).topk(2)
        out = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            at, which = (chosen == number).nonzero(as_tuple=True)
            if at.numel() == 0:
                continue
            out.index_add_(0, at, expert(rows[at]) * shares[at, which, None])
        load = one_hot(chosen, 4).sum((0, 1)).float()
        return out + 0.01 * load.var()


def experts_that_are_chosen(watch: Watch) -> object:
    return train_with(watch, model=lambda: nn.Sequential(Experts(), nn.Linear(8, 4)))


def graphs_of_nodes(watch: Watch) -> object:
    layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 3)])
    optimizer = torch.optim.RMSprop(layers.parameters(), lr=1e-3)

    def step() -> object:
        ends = torch.randint(20, (2, 60))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            adjacency = torch.sparse_coo_tensor(ends, torch.ones(60), (20, 20)).coalesce().to_sparse_csr()
        nodes = torch.randn(20, 8)
        hidden = torch.sparse.mm(adjacency, layers[0](nodes)).relu()
        gathered = torch.zeros(20, 8).scatter_reduce(
            0, ends[0, :, None].expand(60, 8), hidden[ends[1]], "amax", include_self=False
        )
        optimizer.zero_grad()
        loss = cross_entropy(layers[1](gathered), torch.randint(3, (20,)))
        loss.backward()
        optimizer.step()
        return loss.item(), adjacency.values().sum()

    return _steps(watch, step, layers)


def sequences_that_are_packed(watch: Watch) -> object:
    """Backpropagation that is cut between steps, and a loss over alignments."""
    model, head = nn.GRU(4, 8, 2, batch_first=True, dropout=0.3), nn.Linear(8, 5)
    optimizer = torch.optim.NAdam([*model.parameters(), *head.parameters()])
    state = [torch.zeros(2, 3, 8)]

    def step() -> object:
        lengths = torch.tensor([7, 5, 4])
        packed = pack_padded_sequence(torch.randn(3, 7, 4), lengths, batch_first=True)
        outputs, after = model(packed, state[0])
        state[0] = after.detach()
        padded, seen = pad_packed_sequence(outputs, batch_first=True)
        wanted = torch.randint(1, 5, (3, 3))
        loss = ctc_loss(log_softmax(head(padded), -1).transpose(0, 1), wanted, seen, torch.tensor([3, 2, 1]))
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
        nn.utils.clip_grad_value_(head.parameters(), 0.5)
        optimizer.step()
        return loss.item(), float(norm)

    return _steps(watch, step, model, head)


def rates_by_schedules(watch: Watch) -> object:
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = SequentialLR(
        optimizer, [LinearLR(optimizer, 0.1, total_iters=5), CosineAnnealingWarmRestarts(optimizer, 4)], [5]
    )
    plateau = ReduceLROnPlateau(optimizer, patience=1, factor=0.7)

    def step() -> object:
        optimizer.zero_grad()
        loss = model(torch.randn(6, 8)).pow(2).mean()
        loss.backward()
        optimizer.step()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            schedule.step()
        plateau.step(loss.item())
        return loss.item(), schedule.get_last_lr(), plateau.state_dict()

    return _steps(watch, step, model), schedule.state_dict()


def images_in_other_layouts(watch: Watch) -> object:
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1)).to(
        memory_format=torch.channels_last
    )
    localizer = nn.Linear(8, 6)
    optimizer = torch.optim.AdamW([*model.parameters(), *localizer.parameters()], amsgrad=True, foreach=True)

    def step() -> object:
        images = torch.randn(2, 3, 12, 12).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16):
            moves = localizer(model(images).flatten(1))
        grid = nn.functional.affine_grid(moves.float().view(2, 2, 3), [2, 3, 6, 6], align_corners=False)
        moved = grid_sample(images, grid, align_corners=False)
        optimizer.zero_grad()
        loss = (moved - nn.functional.interpolate(images, (6, 6), mode="bicubic")).abs().mean()
        loss.backward()
        optimizer.step()
        return loss.item(), moved.stride(), torch.fft.rfft2(images).abs().sum()

    return _steps(watch, step, model, localizer)


def linear_algebra(watch: Watch) -> object:
    weight = nn.Parameter(torch.randn(6, 6))
    optimizer = torch.optim.Rprop([weight], lr=1e-3)

    def step() -> object:
        covariance = weight @ weight.T + torch.eye(6)
        lower = torch.linalg.cholesky(covariance)
        drawn = torch.distributions.MultivariateNormal(torch.zeros(6), scale_tril=lower).rsample((4,))
        values = torch.linalg.eigvalsh(covariance)
        loss = (
            -torch.logdet(covariance) + torch.linalg.solve(covariance, drawn.T).pow(2).mean() + values.max()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        plain = weight.detach()
        norms = plain.norm(2), torch.linalg.matrix_norm(plain, 2), torch.linalg.cond(plain)
        return loss.item(), torch.linalg.svdvals(plain), norms, torch.linalg.matrix_rank(covariance).item()

    return _steps(watch, step), weight


def samples_of_categories(watch: Watch) -> object:
    """What is drawn decides what is computed."""
    encoder, decoder = nn.Linear(8, 6), nn.Linear(6, 8)
    optimizer = torch.optim.Adamax([*encoder.parameters(), *decoder.parameters()])

    def step() -> object:
        inputs = torch.randn(6, 8)
        codes = gumbel_softmax(encoder(inputs), tau=0.7, hard=True)
        chosen = torch.distributions.Categorical(logits=encoder(inputs)).sample()
        rows = [decoder(codes[i]) for i in range(6) if int(chosen[i]) % 2 == 0 or random.random() < 0.5]
        loss = (torch.stack(rows).mean() if rows else decoder(codes).mean()) + codes.std()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item(), chosen.tolist(), len(rows)

    return _steps(watch, step, encoder, decoder)


def numbers_shared_with_numpy(watch: Watch) -> object:
    """Tensors over memory that NumPy holds, and the other way round."""
    model = nn.Linear(8, 2)
    optimizer = torch.optim.ASGD(model.parameters())
    held = np.zeros((4, 8), np.float32)
    inputs = torch.from_numpy(held)

    def step() -> object:
        held[:] = np.random.rand(4, 8)
        outputs = model(inputs)
        optimizer.zero_grad()
        outputs.mean().backward()
        optimizer.step()
        seen = outputs.detach().numpy()
        seen *= 2
        through = torch.from_dlpack(inputs)
        inputs[0, 0] = float(seen.max())
        return outputs, held.copy(), through.data_ptr() == inputs.data_ptr(), np.asarray(model.bias.detach())

    return _steps(watch, step, model)


def own_generators(watch: Watch) -> object:
    """Each with a state that nothing else may draw from."""
    drawing = [torch.Generator().manual_seed(number) for number in range(3)]
    numbers = np.random.Generator(np.random.PCG64(3))
    dice = random.Random(5)

    def step() -> object:
        return (
            torch.randn(3, generator=drawing[0]),
            torch.randperm(9, generator=drawing[1]),
            torch.empty(4).exponential_(generator=drawing[2]),
            torch.multinomial(torch.ones(5), 2, generator=drawing[0]),
            numbers.normal(size=3),
            dice.random(),
        )

    return _steps(watch, step), [one.get_state() for one in drawing]


def copies_of_everything(watch: Watch) -> object:
    """The model and its optimizer are copied, and the copies go on."""
    made: list[Any] = [mlp()]
    made.append(torch.optim.AdamW(made[0].parameters(), lr=1e-2))

    def step() -> object:
        model, optimizer = copy.deepcopy(made)
        optimizer.zero_grad()
        loss = model(torch.randn(6, 8)).pow(2).mean()
        loss.backward()
        optimizer.step()
        made[:] = model, optimizer
        vector = nn.utils.parameters_to_vector(model.parameters())
        nn.utils.vector_to_parameters(vector * 0.999, model.parameters())
        return loss.item(), optimizer.state_dict()

    found = _steps(watch, step)
    return found, state_of(*made)
