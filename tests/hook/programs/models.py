"""Programs that differ in what their models are, and in what is done with them."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from typing import Any

import torch
from small_training import STEPS, adamw, call, each_step, mlp, state_of, train, train_with
from torch import Tensor, nn
from torch.nn.utils import parametrize, prune
from torch.nn.utils.parametrizations import orthogonal, spectral_norm, weight_norm
from watching import Watch


def parametrized(watch: Watch) -> object:
    def model() -> nn.Module:
        return nn.Sequential(
            weight_norm(nn.Linear(8, 8)), spectral_norm(nn.Linear(8, 8)), orthogonal(nn.Linear(8, 4))
        )

    def forward(module: nn.Module, inputs: Tensor) -> Tensor:
        with parametrize.cached():
            return call(module, inputs)

    return train_with(watch, model=model, forward=forward)


def pruned(watch: Watch) -> object:
    def model() -> nn.Module:
        made = mlp()
        prune.random_unstructured(made[0], "weight", 0.3)
        return made

    return train_with(watch, model=model)


class Own(nn.Module):
    """Has a `__call__` of its own, and attributes that are asked for lazily."""

    calls = 0

    def __init__(self) -> None:
        super().__init__()
        self.inner = mlp()

    def __call__(self, *given: Any, **options: Any) -> Any:
        Own.calls += 1
        return super().__call__(*given, **options)

    def __getattr__(self, name: str) -> Any:
        if name == "lazy":
            return torch.rand(1)
        return super().__getattr__(name)

    def forward(self, inputs: Tensor) -> Tensor:
        result: Tensor = self.inner(inputs) + self.lazy
        return result


def own_call(watch: Watch) -> object:
    return train_with(watch, model=Own), Own.calls


def functional(watch: Watch) -> object:
    model = mlp()
    weights = {name: value.detach().clone().requires_grad_() for name, value in model.named_parameters()}
    buffers = dict(model.named_buffers())
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            loss = torch.func.functional_call(model, (weights, buffers), torch.randn(6, 8)).pow(2).mean()
            slopes = torch.autograd.grad(loss, [*weights.values()])
            with torch.no_grad():
                for value, slope in zip(weights.values(), slopes, strict=True):
                    value.sub_(0.1 * slope)
            losses.append(loss.item())
            hook.step()
    return losses, weights, buffers


def recurrent(watch: Watch) -> object:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.lstm, self.gru = nn.LSTM(8, 6, 2, dropout=0.3, batch_first=True), nn.GRU(6, 5)
            self.head = nn.Linear(5, 4)

        def forward(self, inputs: Tensor) -> Tensor:
            packed = nn.utils.rnn.pack_padded_sequence(inputs[None], [len(inputs)], batch_first=True)
            unpacked, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
            result: Tensor = self.head(self.gru(unpacked)[0])
            return result

    return train_with(watch, model=Model)


def transformer(watch: Watch) -> object:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)

        def forward(self, inputs: Tensor) -> Tensor:
            mask = nn.Transformer.generate_square_subsequent_mask(3)
            result: Tensor = self.encoder(inputs.view(2, 3, 8), mask=mask, is_causal=True)
            return result

    return train_with(watch, model=Model)


def evaluation_after_each_step(watch: Watch) -> object:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    model = nn.TransformerEncoder(layer, 2)
    optimizer = adamw(model.parameters())
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(torch.randn(2, 3, 8)).pow(2).mean()
            loss.backward()
            optimizer.step()
            model.eval()
            with torch.no_grad():
                padding = torch.tensor([[False, False, True], [False, True, True]])
                found.append((loss.item(), model(torch.randn(2, 3, 8), src_key_padding_mask=padding)))
            model.train()
            hook.step()
    return found, state_of(model, optimizer)


def hooks_of_modules(watch: Watch) -> object:
    seen: list[object] = []

    def model() -> nn.Module:
        made = mlp()
        made[0].register_forward_pre_hook(lambda m, given: seen.append((type(m).__name__, len(given))))
        made[1].register_forward_hook(lambda m, given, out: out + torch.rand_like(out))  # noqa: ARG005
        made[4].register_full_backward_pre_hook(lambda m, slopes: seen.append(len(slopes)))  # noqa: ARG005
        made.register_forward_hook(lambda *_: seen.append("always"), always_call=True)
        return made

    everywhere = nn.modules.module.register_module_forward_hook(lambda *_: seen.append(torch.rand(1).item()))
    result = train_with(watch, model=model)
    everywhere.remove()
    return result, seen


def checkpoint_in_each_step(watch: Watch) -> object:
    """Everything is pickled, copied and loaded, in the midst of what the hook does."""
    model = mlp()
    optimizer = adamw(model.parameters())
    losses, sizes = [], []
    with watch() as hook:
        for _ in range(STEPS):
            losses += train(hook, model, optimizer, steps=1)
            written = io.BytesIO()
            torch.save({"model": model, "optimizer": optimizer.state_dict(), "f": torch.add}, written)
            sizes.append((len(written.getvalue()), len(pickle.dumps(copy.deepcopy(model)))))
            written.seek(0)
            loaded = torch.load(written, weights_only=False)
            model.load_state_dict(loaded["model"].state_dict())
            optimizer.load_state_dict(loaded["optimizer"])
            pickle.loads(pickle.dumps((torch.add, Tensor.add, nn.functional.relu, nn.Module.__call__)))
    return losses, sizes, state_of(model, optimizer)


def new_model_in_each_step(watch: Watch) -> object:
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            model = mlp()
            optimizer = adamw(model.parameters())
            found.append((train(hook, model, optimizer, steps=1), state_of(model, optimizer)))
    return found


def scripted(watch: Watch) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")

        def model() -> Any:
            return torch.jit.script(nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4)))

        trained = model()
        optimizer = adamw(trained.parameters())
        with watch() as hook:
            return train(hook, trained, optimizer), list(trained.parameters())


def graphs_of_each_step(watch: Watch) -> object:
    from torch.fx.experimental.proxy_tensor import make_fx

    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Dropout(0.5))
    found = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            inputs = torch.randn(6, 8)
            found.append(
                (
                    torch.fx.symbolic_trace(model).code,
                    make_fx(lambda x: torch.relu(x) @ x.T)(inputs).code,
                    str(torch.jit.trace(model.eval(), inputs).inlined_graph).count("aten::"),
                    str(torch.jit.script(nn.Linear(3, 3)).graph),
                )
            )
            hook.step()
    return found


def exported(watch: Watch) -> object:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    found = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            program = torch.export.export(model, (torch.randn(6, 8),), strict=False)
            found.append(program.graph_module.code)
            hook.step()
    return found


def _compiled(watch: Watch, backend: str, first: int) -> object:
    model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 4))
    optimizer = adamw(model.parameters())
    calls = []

    def scale(outputs: Tensor) -> Tensor:
        return outputs * 2 + 1

    losses = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled: Any = model
        for step in range(STEPS):
            if step == first:
                compiled, scale = torch.compile(model, backend=backend), torch.compile(scale, backend=backend)
            losses += train(
                hook, model, optimizer, steps=1, forward=lambda _, x, c=compiled, s=scale: s(c(x))
            )
            calls.append(len(torch._dynamo.utils.counters["frames"]))
    counted = {name: dict(found) for name, found in torch._dynamo.utils.counters.items()}
    return losses, calls, counted, state_of(model, optimizer)


def compiled_eagerly(watch: Watch) -> object:
    return _compiled(watch, "eager", 0)


def compiled_in_a_recorded_step(watch: Watch) -> object:
    return _compiled(watch, "eager", 4)


def compiled_in_an_audit_step(watch: Watch) -> object:
    return _compiled(watch, "aot_eager", 5)


def compiled_in_a_memory_step(watch: Watch) -> object:
    return _compiled(watch, "aot_eager", 9)


def flexible_attention(watch: Watch) -> object:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    found = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            mask = create_block_mask(lambda b, h, q, k: q >= k, 1, 1, 16, 16, device="cpu")  # noqa: ARG005
            given = [torch.randn(1, 2, 16, 16) for _ in range(3)]
            found.append(flex_attention(*given, score_mod=lambda s, b, h, q, k: s + q - k, block_mask=mask))  # noqa: ARG005
            hook.step()
    return found


def attention_with_each_backend(watch: Watch) -> object:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    found = []
    with watch() as hook:
        for _ in range(STEPS):
            for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
                given = [torch.randn(1, 2, 6, 8, requires_grad=True) for _ in range(3)]
                with sdpa_kernel(backend):
                    outputs = nn.functional.scaled_dot_product_attention(*given, is_causal=True)
                outputs.sum().backward()
                found.append((outputs, [part.grad for part in given]))
            hook.step()
    return found


def modules_that_compare_themselves(watch: Watch) -> object:
    """Two of one class, which draws where it is compared and has no length."""

    class Compares(nn.Linear):
        __hash__ = nn.Module.__hash__

        def __eq__(self, other: object) -> Any:
            return torch.rand(2) > 1

        def __bool__(self) -> bool:
            raise ValueError("neither")

        __len__ = __bool__

    models = [Compares(4, 4), Compares(4, 4)]
    return each_step(watch, lambda: [model(torch.randn(2, 4)) for model in models])
