"""Trainings in which the hook may fail on a GPU: `first_contact_programs.py NAME FOLDER [WATCH]`.

WATCH is `defaults`, `everything`, or `alone` for no hook. Each prints one object of JSON at its end, and
leaves its windows in FOLDER. `first_contact.py` runs them all.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "recorded"), str(TESTS / "support"), str(TESTS.parent)]

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

import tbprof  # noqa: E402

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SCHEDULE = tbprof.Schedule(skip_first=6, wait=4, warmup=2, active=3, repeat=3)
STEPS = 48
"""Three windows, with all that follows them."""

EVERYTHING: dict[str, Any] = {
    "memory": True,
    "record_inputs": True,
    "with_stack": True,
    "profile_memory": True,
}
WATCHES: dict[str, dict[str, Any]] = {"defaults": {}, "everything": EVERYTHING}

Step = Callable[[int], Any]
Facts = dict[str, Any]


class Watched:
    """A training's steps under the hook, or alone, and what is told of them."""

    def __init__(self, folder: Path, watch: str, **options: Any) -> None:
        self.folder, self.stalls_ns, self.steps_ns, self.log = folder, [], [], _Kept()
        logging.getLogger("tbprof").addHandler(self.log)
        given = {"schedule": SCHEDULE, "spool": folder / "spool", "worker": "w", **options}
        self.hook = (
            None if watch == "alone" else tbprof.TrainerHook(folder / "logs", **{**given, **WATCHES[watch]})
        )

    def run(self, step: Step, steps: int = STEPS) -> list[Any]:
        """What each step returned."""
        returned = []
        with self.hook or nullcontext():
            for number in range(steps):
                begun = time.perf_counter_ns()
                returned.append(step(number))
                ended = time.perf_counter_ns()
                if self.hook is not None:
                    self.hook.step()
                self.steps_ns.append(ended - begun)
                self.stalls_ns.append(time.perf_counter_ns() - ended)
            wait_for_device()
            if self.hook is not None:
                self.hook.close(wait_s=30)
        return returned

    def facts(self) -> Facts:
        return {
            "steps_us": [ns // 1000 for ns in self.steps_ns],
            "stalls_us": [ns // 1000 for ns in self.stalls_ns],
            "log": self.log.lines,
            "is_initialized": torch.cuda.is_initialized(),
            "sync_debug_mode": torch.cuda.get_sync_debug_mode() if DEVICE.type == "cuda" else None,
        }


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.getMessage()}")


def wait_for_device() -> None:
    if DEVICE.type == "cuda" and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def digest(values: list[Any]) -> str:
    """The same for the same bits."""
    hashed = hashlib.sha256()
    for value in values:
        is_tensor = isinstance(value, Tensor)
        hashed.update(value.detach().cpu().numpy().tobytes() if is_tensor else repr(value).encode())
    return hashed.hexdigest()[:16]


def make_step(device: torch.device = DEVICE, width: int = 1024) -> Step:
    """A small training with an upload, a mask and a read in each step."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(512, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 512)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(_: int) -> float:
        inputs = torch.randn(256, 512).to(device)  # sync: a copy of pageable memory
        outputs = model(inputs)
        kept = outputs[outputs > 0]  # sync: a mask
        loss = kept.square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()  # sync: a read

    return step


def small(folder: Path, watch: str) -> Facts:
    watched = Watched(folder, watch)
    return {"losses": digest(watched.run(make_step())), **watched.facts()}


def short(_folder: Path, _watch: str) -> Facts:
    """The same script for `tbprof run` and `tbprof preflight`: it has no hook of its own."""
    step = make_step()
    return {"losses": digest([step(number) for number in range(30)])}


def recorded_program(name: str) -> Callable[[Path, str], Facts]:
    def program(folder: Path, watch: str) -> Facts:
        from recorded_source import Setting, build, importable

        with importable(TESTS / "data" / "programs_on_a_cpu" / "source"):
            session = build(name, Setting(DEVICE, small=DEVICE.type == "cpu"))
            watched = Watched(folder, watch)
            watched.run(lambda _: session.step())
            session.close()
        return watched.facts()

    return program


def launch_bound(folder: Path, watch: str) -> Facts:
    """Two hundred short kernels a step: whatever the hook does on the host shows."""
    values = torch.ones(64, device=DEVICE)

    def step(_: int) -> None:
        for _ in range(200):
            values.mul_(1.0001)

    watched = Watched(folder, watch, schedule=tbprof.Schedule(skip_first=400, active=5))
    watched.run(step, 900)
    return watched.facts()


def plain_profiler(folder: Path, _watch: str) -> Facts:
    """The same under torch.profiler and its own handler, three windows, to compare stalls with."""
    step, stalls = make_step(), []
    schedule = torch.profiler.schedule(skip_first=6, wait=4, warmup=2, active=3, repeat=3)
    handler = torch.profiler.tensorboard_trace_handler(str(folder / "logs"), use_gzip=True)
    with torch.profiler.profile(schedule=schedule, on_trace_ready=handler) as profiler:
        for number in range(STEPS):
            step(number)
            begun = time.perf_counter_ns()
            profiler.step()
            stalls.append((time.perf_counter_ns() - begun) // 1000)
    return {"stalls_us": stalls}


def _captured(values: Tensor) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(20):
            values.mul_(1.0001)
    return graph


def graphs(folder: Path, watch: str) -> Facts:
    """Captured before all windows, between the first two, and in each step from the third on."""
    values = torch.ones(4096, device=DEVICE)
    kept = [_captured(values)]
    watched = Watched(folder, watch)

    def step(number: int) -> float:
        if number == 17 or number >= 24:
            kept.append(_captured(values))
        kept[-1].replay()
        return float(values.sum())

    return {"values": digest(watched.run(step)), **watched.facts()}


def graphs_after_empty_session(folder: Path, watch: str) -> Facts:
    """A profiler that recorded nothing, before the first capture."""
    with torch.profiler.profile():
        pass
    return graphs(folder, watch)


def graphs_on_a_thread(folder: Path, watch: str, mode: str = "global") -> Facts:
    """Another thread captures all the time, in the mode in which any thread may spoil it."""
    own_stream, other, ended = torch.cuda.Stream(), torch.ones(4096, device=DEVICE), threading.Event()
    failures, captured = [], [0]
    other.mul_(1.0)  # loads the kernel, which would spoil a capture

    def capture() -> None:
        while not ended.is_set():
            try:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.stream(own_stream):
                    graph.capture_begin(capture_error_mode=mode)
                    try:
                        for _ in range(20):
                            other.mul_(1.0001)
                    finally:
                        graph.capture_end()
                captured[0] += 1
            except RuntimeError as error:
                failures.append(str(error).partition("\n")[0])
            time.sleep(0.02)

    quiet = torch.ones(4096, device=DEVICE)

    def without_wait(_: int) -> None:
        """A wait of the training itself would spoil the captures."""
        quiet.mul_(1.0001)
        time.sleep(0.01)

    watched = Watched(folder, watch)
    thread = threading.Thread(target=capture)
    thread.start()
    try:
        watched.run(without_wait)
    finally:
        ended.set()
        thread.join()
    return {"captured": captured[0], "failures": failures[:3], "failed": len(failures), **watched.facts()}


def graphs_on_a_thread_locally(folder: Path, watch: str) -> Facts:
    return graphs_on_a_thread(folder, watch, "thread_local")


def compiled(folder: Path, watch: str, mode: str | None = None) -> Facts:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 512)).to(DEVICE)
    forward = torch.compile(model, mode=mode)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step(_: int) -> float:
        loss = forward(torch.randn(64, 512, device=DEVICE)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()  # sync: a read

    watched = Watched(folder, watch)
    return {"losses": digest(watched.run(step)), **watched.facts()}


def compiled_into_graphs(folder: Path, watch: str) -> Facts:
    return compiled(folder, watch, "reduce-overhead")


def device_assert(folder: Path, watch: str) -> Facts:
    """A kernel's assertion in the second recorded step ends the training."""
    step = make_step()

    def failing(number: int) -> float:
        if number == 13:
            print(json.dumps({"raised_at": time.time()}), flush=True)
            torch.ones(4, device=DEVICE)[torch.tensor([7], device=DEVICE)].sum().item()
        return step(number)

    return {"losses": digest(Watched(folder, watch).run(failing))}


def out_of_memory(folder: Path, watch: str) -> Facts:
    """Caught in a recorded step, as trainers do that then take a smaller batch."""
    step, caught = make_step(), []

    def failing(number: int) -> float:
        if number in (13, 20):
            try:
                torch.empty(1 << 42, dtype=torch.uint8, device=DEVICE)
            except torch.OutOfMemoryError as error:
                caught.append(str(error)[:60])
                torch.cuda.empty_cache()
        return step(number)

    watched = Watched(folder, watch)
    return {"losses": digest(watched.run(failing)), "caught": caught, **watched.facts()}


def out_of_memory_ends(folder: Path, watch: str) -> Facts:
    step, kept = make_step(), []

    def failing(number: int) -> float:
        if number == 13:
            print(json.dumps({"raised_at": time.time()}), flush=True)
            kept.append(torch.empty(1 << 42, dtype=torch.uint8, device=DEVICE))
        return step(number)

    return {"losses": digest(Watched(folder, watch, memory=True).run(failing))}


def on_the_cpu(folder: Path, watch: str) -> Facts:
    """A training that does not use the GPU: afterwards a forked process still can."""
    watched = Watched(folder, watch)
    losses = digest(watched.run(make_step(torch.device("cpu"), 64)))
    facts = watched.facts()
    child = os.fork()
    if child == 0:
        try:
            torch.ones(1, device=DEVICE).item()
            os._exit(0)
        finally:
            os._exit(1)
    return {"losses": losses, **facts, "forked_exit": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}


ALLOCATOR = """
#include <cuda_runtime_api.h>
extern "C" void* take(size_t size, int, cudaStream_t) { void* p; cudaMalloc(&p, size); return p; }
extern "C" void give(void* p, size_t, int, cudaStream_t) { cudaFree(p); }
"""


def pluggable_allocator(folder: Path, watch: str) -> Facts:
    source, library = folder / "allocator.cu", folder / "allocator.so"
    folder.mkdir(parents=True, exist_ok=True)
    source.write_text(ALLOCATOR)
    subprocess.run(["nvcc", "-shared", "-Xcompiler", "-fPIC", "-o", library, source], check=True)
    chosen = torch.cuda.memory.CUDAPluggableAllocator(str(library), "take", "give")
    torch.cuda.memory.change_current_allocator(chosen)
    return small(folder, watch)


class ReadInBackward(torch.autograd.Function):
    @staticmethod
    def forward(_: Any, inputs: Tensor) -> Tensor:
        return inputs * 2

    @staticmethod
    def backward(_: Any, gradient: Tensor) -> Tensor:
        if gradient.abs().max().item() > 1e9:  # sync: a read in backward
            return gradient.clamp(-1, 1)
        return gradient * 2


def wait_in_backward(folder: Path, watch: str) -> Facts:
    weights = torch.randn(512, 512, device=DEVICE, requires_grad=True)

    def step(_: int) -> None:
        loss = ReadInBackward.apply(weights @ weights).square().mean()
        loss.backward()
        weights.grad = None

    watched = Watched(folder, watch)
    watched.run(step)
    return watched.facts()


def values(folder: Path, watch: str) -> Facts:
    """A transformer trained and evaluated in each step: every value, and what random numbers come next."""
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.1, batch_first=True)
    model = nn.TransformerEncoder(layer, 2).to(DEVICE)
    head = nn.Sequential(nn.Conv1d(128, 64, 3), nn.BatchNorm1d(64), nn.ReLU()).to(DEVICE)
    parameters = [*model.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    scaler = torch.amp.GradScaler("cuda", enabled=DEVICE.type == "cuda")
    padding = torch.zeros(8, 32, dtype=torch.bool, device=DEVICE)
    padding[:, 24:] = True

    def step(_: int) -> Tensor:
        inputs = torch.randn(8, 32, 128, device=DEVICE)
        with torch.autocast(DEVICE.type, dtype=torch.float16 if DEVICE.type == "cuda" else torch.bfloat16):
            loss = head(model(inputs).transpose(1, 2)).float().square().mean()
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(parameters, 1.0)
        scaler.step(optimizer)
        scaler.update()
        model.eval()
        with torch.no_grad():
            evaluated = model(inputs, src_key_padding_mask=padding).sum()
        model.train()
        return torch.stack([loss.detach(), evaluated.float()])

    watched = Watched(folder, watch)
    seen = watched.run(step)
    states = [torch.get_rng_state()] + ([torch.cuda.get_rng_state()] if DEVICE.type == "cuda" else [])
    peak = torch.cuda.max_memory_allocated() if DEVICE.type == "cuda" else 0
    return {"values": digest([*seen, *parameters, *states]), "peak_bytes": peak, **watched.facts()}


def waits(folder: Path, watch: str) -> Facts:
    """Explicit waits, with torch's callbacks, which see them."""
    step = make_step()

    def waiting(number: int) -> None:
        step(number)
        torch.cuda.synchronize()  # sync: of the device
        torch.cuda.current_stream().synchronize()  # sync: of a stream
        event = torch.cuda.Event()
        event.record()
        event.synchronize()  # sync: of an event

    watched = Watched(folder, watch, sync_callbacks=True)
    watched.run(waiting)
    return watched.facts()


def memory(folder: Path, watch: str) -> Facts:
    """Each step's own peak, to hold the followed step's against."""
    step, peaks = make_step(), []

    def measured(number: int) -> float:
        torch.cuda.reset_peak_memory_stats()
        loss = step(number)
        peaks.append(torch.cuda.max_memory_allocated())
        return loss

    watched = Watched(folder, watch, memory=True)
    watched.run(measured)
    return {"peaks_bytes": peaks, **watched.facts()}


def users_profiler(folder: Path, watch: str) -> Facts:
    """The user profiles, too, around the first window."""
    watched, step = Watched(folder, watch), make_step()
    profiler = torch.profiler.profile()

    def profiled(number: int) -> float:
        if number == 8:
            profiler.start()
        loss = step(number)
        if number == 18:
            profiler.stop()
        return loss

    watched.run(profiled)
    kernels = sum(e.device_type == torch.autograd.DeviceType.CUDA for e in profiler.events() or [])
    return {"users_device_rows": kernels, **watched.facts()}


def side_stream(folder: Path, watch: str) -> Facts:
    stream, step, watched = torch.cuda.Stream(), make_step(), Watched(folder, watch)
    with torch.cuda.stream(stream):
        losses = watched.run(step)
    return {"losses": digest(losses), **watched.facts()}


def in_a_thread(folder: Path, watch: str) -> Facts:
    watched, kept = Watched(folder, watch), []
    thread = threading.Thread(target=lambda: kept.extend(watched.run(make_step())))
    thread.start()
    thread.join()
    return {"losses": digest(kept), **watched.facts()}


def users_debug_mode(folder: Path, watch: str, mode: str = "error") -> Facts:
    """The user has torch's sync debug mode on, and no step of his own waits."""
    torch.manual_seed(0)
    model = nn.Linear(512, 512).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    reads = mode == "warn"

    def step(_: int) -> None:
        loss = model(torch.randn(64, 512, device=DEVICE)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if reads:
            loss.item()  # sync: a read

    watched = Watched(folder, watch)
    step(0)
    torch.cuda.set_sync_debug_mode(mode)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        watched.hook and watched.hook.__enter__()
        for number in range(STEPS):
            step(number)
            watched.hook and watched.hook.step()
    left = torch.cuda.get_sync_debug_mode()
    torch.cuda.set_sync_debug_mode("default")
    watched.hook and watched.hook.close(wait_s=30)
    waited = sum("synchronizing CUDA operation" in str(one.message) for one in told)
    return {"warnings": waited, "others": len(told) - waited, "mode_left": left, **watched.facts()}


def users_debug_mode_warns(folder: Path, watch: str) -> Facts:
    return users_debug_mode(folder, watch, "warn")


@contextmanager
def _group(backend: str, folder: Path) -> Iterator[None]:
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    store = os.environ.get("FIRST_CONTACT_STORE", str(folder / "store"))
    folder.mkdir(parents=True, exist_ok=True)
    torch.distributed.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=size)
    yield


def distributed(folder: Path, watch: str, backend: str = "nccl") -> Facts:
    """DistributedDataParallel with one rank on NCCL, or with two on this GPU by Gloo."""
    around: AbstractContextManager[None] = _group(backend, folder)
    rank = int(os.environ.get("RANK", "0"))
    with around:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512)).to(DEVICE)
        parallel = nn.parallel.DistributedDataParallel(model)
        optimizer = torch.optim.SGD(parallel.parameters(), lr=1e-3)

        def step(_: int) -> float:
            if rank == 1:
                time.sleep(0.02)  # a rank that is late
            loss = parallel(torch.randn(256, 512, device=DEVICE)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            return loss.item()  # sync: a read

        watched = Watched(folder, watch, worker=None)
        losses = watched.run(step)
        torch.distributed.barrier()
    return {"losses": digest(losses), **watched.facts()}


def distributed_by_gloo(folder: Path, watch: str) -> Facts:
    return distributed(folder, watch, "gloo")


def loop_over_items(folder: Path, watch: str) -> Facts:
    """A loss that looks at each box of a batch on the host, as detectors do."""
    boxes = torch.rand(64, 32, 4, device=DEVICE)
    model = nn.Linear(4, 4).to(DEVICE)

    def step(_: int) -> float:
        total = torch.zeros((), device=DEVICE)
        for sample in boxes:
            outputs = model(sample)
            if (outputs > 0).any():  # sync: a decision for each sample
                total = total + outputs[outputs > 0].sum()  # sync: a mask for each sample
        total.backward()
        model.zero_grad()
        return total.item()  # sync: a read

    watched = Watched(folder, watch)
    return {"losses": digest(watched.run(step)), **watched.facts()}


def rebuilt_cache(folder: Path, watch: str) -> Facts:
    """The allocator's cache is emptied in each step."""
    step = make_step()

    def emptying(number: int) -> float:
        loss = step(number)
        torch.cuda.empty_cache()  # sync: it frees what is cached
        return loss

    watched = Watched(folder, watch)
    return {"losses": digest(watched.run(emptying)), **watched.facts()}


PROGRAMS: dict[str, Callable[[Path, str], Facts]] = {
    program.__name__: program
    for program in (
        small,
        short,
        launch_bound,
        plain_profiler,
        graphs,
        graphs_after_empty_session,
        graphs_on_a_thread,
        graphs_on_a_thread_locally,
        compiled,
        compiled_into_graphs,
        device_assert,
        out_of_memory,
        out_of_memory_ends,
        on_the_cpu,
        pluggable_allocator,
        wait_in_backward,
        values,
        waits,
        memory,
        users_profiler,
        side_stream,
        in_a_thread,
        users_debug_mode,
        users_debug_mode_warns,
        distributed,
        distributed_by_gloo,
        loop_over_items,
        rebuilt_cache,
    )
} | {"patch": recorded_program("patch-0-before"), "gpt": recorded_program("gpt-log-every-step")}


if __name__ == "__main__":
    chosen, where = PROGRAMS[sys.argv[1]], Path(sys.argv[2])
    print(json.dumps(chosen(where, sys.argv[3] if len(sys.argv) > 3 else "defaults")), flush=True)
