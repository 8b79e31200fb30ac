"""How near a device comes to its data sheet, and what launches and copies cost: `device_peaks.py`.

Matrix products, convolutions, copies in its memory and over the bus, each the best of several rounds between
events; beside each the data sheet's figure that `tbprof.analysis.limits` holds operators against.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from tbprof.analysis.limits.devices import find_peaks

ROUNDS, REPEATS = 5, 10
TYPES = {
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    "float32": torch.float32,
    "float64": torch.float64,
}


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Of one call, at best."""
    work()
    best = float("inf")
    for _ in range(ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(repeats):
            work()
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) / 1e3 / repeats)
    return best


def main() -> None:
    name = torch.cuda.get_device_name()
    peaks = find_peaks(name)
    print(f"{name}, torch {torch.__version__}\n\n| what | reached | data sheet | share |\n|---|---|---|---|")

    def row(what: str, reached: float, unit: str, sheet: float | None) -> None:
        share = f"{reached / sheet:.0%}" if sheet else "-"
        print(f"| {what} | {reached:,.2f} {unit} | {sheet or '-'} | {share} |", flush=True)

    for dtype, made in TYPES.items():
        for matrix in (True, False) if dtype == "float32" else (True,):
            torch.backends.cuda.matmul.allow_tf32 = matrix
            size = 8192 if dtype != "float64" else 4096
            a, b = (torch.randn(size, size, device="cuda").to(made) for _ in range(2))
            reached = 2 * size**3 / seconds(lambda a=a, b=b: a @ b) / 1e12
            sheet = peaks and peaks.tflops(dtype, on_matrix_units=matrix)
            row(f"product {dtype}{'' if matrix else ', no TF32'}", reached, "TFLOP/s", sheet)
    image = torch.randn(64, 256, 56, 56, device="cuda", dtype=torch.bfloat16).to(
        memory_format=torch.channels_last
    )
    weight = torch.randn(256, 256, 3, 3, device="cuda", dtype=torch.bfloat16).to(
        memory_format=torch.channels_last
    )
    flops = 2 * 64 * 56 * 56 * 256 * 256 * 9
    reached = flops / seconds(lambda: torch.nn.functional.conv2d(image, weight, padding=1)) / 1e12
    row("convolution bfloat16", reached, "TFLOP/s", peaks and peaks.tflops("bfloat16", on_matrix_units=True))
    large = torch.empty(1 << 30, device="cuda", dtype=torch.float32)
    half = large[: 1 << 29], large[1 << 29 :]
    sheet = peaks and peaks.terabytes_s
    row("copy in memory", 2 * half[0].nbytes / seconds(lambda: half[0].copy_(half[1])) / 1e12, "TB/s", sheet)
    row(
        "sum of two",
        3 * half[0].nbytes / seconds(lambda: torch.add(*half, out=half[0])) / 1e12,
        "TB/s",
        sheet,
    )
    _bus(row)
    _host(row)


def _bus(row: Callable[[str, float, str, float | None], None]) -> None:
    there = torch.empty(1 << 26, device="cuda")
    for pinned in (True, False):
        here = torch.empty(1 << 26, pin_memory=pinned)
        word = "pinned" if pinned else "pageable"
        for way, work in (("to", lambda h=here: there.copy_(h)), ("from", lambda h=here: h.copy_(there))):
            row(f"copy {way} the device, {word}", there.nbytes / seconds(work, 2) / 1e9, "GB/s", None)


def _host(row: Callable[[str, float, str, float | None], None]) -> None:
    values = torch.ones(64, device="cuda")

    def us(work: Callable[[], object], repeats: int = 2000) -> float:
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(repeats):
            work()
        return (time.perf_counter() - begun) / repeats * 1e6

    row("launch of mul_", us(lambda: values.mul_(1.0)), "us", None)
    row("item() of an idle device", us(lambda: values[0].item()), "us", None)
    row("synchronize() of an idle device", us(torch.cuda.synchronize), "us", None)
    row("memory_stats()", us(torch.cuda.memory_stats, 200), "us", None)


if __name__ == "__main__":
    main()
