"""Programs whose tensors, or the types and devices of them, are not the ordinary ones."""

from __future__ import annotations

import warnings
from typing import Any

import torch
from small_training import STEPS, adamw, call, each_step, mlp, state_of, train_with
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.utils._pytree import tree_map
from watching import Watch


def double_precision_by_default(watch: Watch) -> object:
    torch.set_default_dtype(torch.float64)

    def model() -> nn.Module:
        return nn.Sequential(nn.Linear(8, 4), nn.Tanh())

    return train_with(watch, model=model, forward=lambda m, x: m(x.double()))


def device_meta_by_default(watch: Watch) -> object:
    model = mlp()
    optimizer = adamw(model.parameters())
    torch.set_default_device("meta")
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            loss = model(torch.randn(6, 8, device="cpu")).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append((loss.item(), str(torch.empty(3).device)))
            hook.step()
    return losses, state_of(model, optimizer)


def device_of_the_host_by_default(watch: Watch) -> object:
    torch.set_default_device("cpu")
    return train_with(watch)


def deterministic(watch: Watch) -> object:
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    found = []

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        found.append(torch.empty(3))
        return call(model, inputs)

    return train_with(watch, forward=forward), found


def complex_numbers(watch: Watch) -> object:
    weights = torch.randn(8, 4, dtype=torch.complex64, requires_grad=True)
    optimizer = torch.optim.Adam([weights])
    losses = []
    with watch() as hook:
        for _ in range(STEPS):
            optimizer.zero_grad()
            spectrum = torch.fft.fft(torch.randn(6, 8))
            loss = torch.view_as_real(spectrum @ weights).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            hook.step()
    return losses, weights, weights.grad


def sparse(watch: Watch) -> object:
    weights = torch.randn(8, 4, requires_grad=True)
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            places = torch.randint(0, 8, (2, 9))
            matrix = torch.sparse_coo_tensor(places, torch.randn(9), (8, 8))
            loss = torch.sparse.mm(matrix, weights).pow(2).sum()
            weights.grad = None
            loss.backward()
            with torch.no_grad():
                weights.sub_(0.01 * weights.grad)
                rows = matrix.to_dense().to_sparse_csr()
            found.append((loss.item(), matrix.coalesce(), (rows @ weights.detach())))
            hook.step()
    return found, weights


def nested(watch: Watch) -> object:
    layer = nn.Linear(8, 4)
    found = []
    with watch() as hook, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            parts = [torch.randn(length, 8) for length in (2, 5, 3)]
            strided = torch.nested.nested_tensor(parts)
            jagged = torch.nested.nested_tensor(parts, layout=torch.jagged, requires_grad=True)
            outputs = layer(jagged)
            layer.zero_grad()
            outputs.values().pow(2).sum().backward()
            attended = torch.nn.functional.scaled_dot_product_attention(
                *[jagged.detach().unsqueeze(-2).transpose(1, 2)] * 3
            )
            found.append(
                [
                    torch.nested.to_padded_tensor(strided, 0.0),
                    layer(strided).to_padded_tensor(0.0),
                    outputs.values(),
                    attended.values(),
                    layer.weight.grad,
                ]
            )
            hook.step()
    return found


class Named(Tensor):
    """Counts the functions that are called with it."""

    calls: list[str] = []  # noqa: RUF012

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        Named.calls.append(getattr(func, "__name__", ""))
        return super().__torch_function__(func, types, args, kwargs or {})


class Wrapped(Tensor):
    """Holds a tensor, and counts the operators that are called with it."""

    calls: list[str] = []  # noqa: RUF012

    @staticmethod
    def __new__(cls, inner: Tensor) -> Wrapped:
        made: Wrapped = Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad
        )
        return made

    def __init__(self, inner: Tensor) -> None:
        self.inner = inner

    def __repr__(self) -> str:
        return f"Wrapped({self.inner})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        Wrapped.calls.append(str(func))
        args, kwargs = tree_map(lambda x: x.inner if type(x) is Wrapped else x, (args, kwargs or {}))
        result = func(*args, **kwargs)
        return tree_map(lambda x: Wrapped(x) if type(x) is Tensor else x, result)


class Kept(Tensor):
    """Adds nothing."""


def subclasses_made_by_their_class(watch: Watch) -> object:
    found: list[object] = []

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        made = Kept([1.0, 2.0]), Kept(inputs), Kept(inputs.untyped_storage()), Kept(2, 3).zero_()
        found.extend((type(one).__name__, one.as_subclass(Tensor).clone()) for one in made)
        return call(model, inputs + Kept([1.0]).as_subclass(Tensor))

    return train_with(watch, forward=forward), found


def storages_that_are_looked_at(watch: Watch) -> object:
    """Gradients of one row have the strides that adding in place has left them."""
    row = torch.randn(1, 2, requires_grad=True)
    found: list[object] = []

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        turned = row.t()
        (gradient,) = torch.autograd.grad((turned * turned).sum(), row)
        storage = inputs.untyped_storage()
        found.append((gradient.stride(), vars(storage), storage.nbytes()))
        return call(model, inputs)

    return train_with(watch, forward=forward), found


def subclasses(watch: Watch) -> object:
    model = mlp()
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            named = model(torch.randn(6, 8).as_subclass(Named))
            wrapped = Wrapped(torch.randn(6, 8)) * 2
            model(named.as_subclass(Tensor).repeat(1, 2)).sum().backward()
            found.append(
                (type(named).__name__, named.as_subclass(Tensor), (wrapped + 1).inner, float(named.sum()))
            )
            hook.step()
    return found, Named.calls, Wrapped.calls


def quantized(watch: Watch) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = torch.ao.quantization.quantize_dynamic(
            nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)), {nn.Linear}
        )
    found = []
    with watch() as hook, torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(STEPS):
            fixed = torch.quantize_per_tensor(torch.randn(3, 4), 0.1, 10, torch.quint8)
            found.append((model(torch.randn(6, 8)), fixed, fixed.dequantize()))
            hook.step()
    return found


def service_with_padding(watch: Watch) -> object:
    layer = nn.TransformerEncoderLayer(16, 4, 32, 0.1, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).eval()
    requests = []
    with watch() as hook, torch.inference_mode():
        for _ in range(STEPS):
            padding = torch.arange(5)[None] >= torch.randint(1, 6, (4, 1))
            requests.append(model(torch.randn(4, 5, 16), src_key_padding_mask=padding))
            hook.step()
    return requests


def questions_about_functions(watch: Watch) -> object:
    """As libraries ask that choose an implementation."""
    plain = torch.randn(3)
    found = []
    with watch() as hook:
        for _ in range(STEPS):
            found.append(
                (
                    torch.overrides.has_torch_function((plain,)),
                    torch.overrides.is_tensor_like(plain),
                    torch._C._len_torch_function_stack(),
                    torch._C._is_torch_function_mode_enabled(),
                    len(torch.utils._python_dispatch._get_current_dispatch_mode_stack()),
                )
            )
            hook.step()
    return found


def printed(watch: Watch) -> object:
    with watch() as hook:
        for step in range(STEPS):
            print(torch.full((2, 2), step / 3), nn.Linear(2, 2), f"{torch.tensor(step):3d}", torch.arange(3))
            hook.step()
    return None


def forked_random_numbers(watch: Watch) -> object:
    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        with torch.random.fork_rng():
            torch.manual_seed(3)
            noise = torch.randn_like(inputs)
        return call(model, inputs + noise)

    return train_with(watch, forward=forward)


def tensors_that_are_fake(watch: Watch) -> object:
    """Torch's own, and of a class that has torch call its kernels as if it were none."""

    class AsNone(Tensor):
        @classmethod
        def __torch_dispatch__(cls, function: Any, _: Any, args: Any = (), options: Any = None) -> Any:
            with torch._C._DisableTorchDispatch():  # type: ignore[attr-defined]
                return function(*args, **(options or {}))

    model = mlp()

    def step() -> object:
        one = Tensor._make_subclass(AsNone, torch.rand(3))
        with FakeTensorMode(allow_non_fake_inputs=True):
            shape = model(torch.empty(6, 8)).shape
        return shape, (one * 2).tolist(), torch.rand(1)

    return each_step(watch, step)
