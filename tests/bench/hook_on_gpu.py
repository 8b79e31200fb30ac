"""What the hook costs and finds in the programs of a recording, on the GPU that is here.

python tests/bench/hook_on_gpu.py RECORDING OUT [--only NAME,...] [--steps 30]

RECORDING is a folder with `source/`; OUT keeps the windows, which hold the exact lines. Needs torch, numpy
and msgspec: where nothing can be published, the window is taken from the hook's spool.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [
    str(TESTS / "support"),
    str(TESTS / "recorded"),
    str(TESTS.parent),
    str(Path(__file__).resolve().parent),
]

import torch  # noqa: E402
from hook_on_gpu_measures import HookedProgram, run_with_hook  # noqa: E402
from recorded_lines import Line, is_conditional, read_marks  # noqa: E402
from recorded_source import importable  # noqa: E402

PROGRAMS = (
    "patch-0-before",
    "patch-1-constant",
    "patch-3-index",
    "patch-6-cross-entropy",
    "gpt-log-every-step",
    "gpt-mask",
    "gpt-guarded",
    "resnet-pageable-4",
    "gpt-compiled-reads",
)
"""The one that compiles comes last: once code was compiled in a process, the hook records no lines there."""

HEAD = """\
| program | step without the hook, ms | with it, ms | more | stall of a window, ms | \
step after the window, ms | to before it | sites that wait | with exact line | lines recorded | \
marked lines | recorded |
|---|---|---|---|---|---|---|---|---|---|---|---|"""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("recording", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", type=lambda names: tuple(names.split(",")), default=PROGRAMS)
    parser.add_argument("--steps", type=int, default=30, help="steps of each timed stretch")
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    options.out.mkdir(parents=True, exist_ok=True)
    print(HEAD)
    source, out = options.recording.resolve() / "source", options.out.resolve()
    marks = read_marks(options.recording)
    expected = frozenset(line for line, why in marks.items() if not is_conditional(why))
    with importable(source):
        for name in options.only:
            try:
                hooked = run_with_hook(name, source, out, steps=options.steps, device=device)
            except Exception as error:  # noqa: BLE001 - the time on a GPU is short: the others go on
                print(f"| {name} | failed: {type(error).__name__}: {error} |", flush=True)
                continue
            print(program_row(name, hooked, expected & hooked.ran), flush=True)
    if device.type == "cpu":
        print("\nThere is no GPU here: the figures are those of tiny programs on a CPU, and no site waits.")


def program_row(name: str, hooked: HookedProgram, marked: frozenset[Line]) -> str:
    sites = hooked.sites
    cells = (
        name,
        ms(hooked.plain_ns),
        ms(hooked.before_ns),
        f"{hooked.before_ns / hooked.plain_ns - 1:+.1%}",
        ms(hooked.stall_ns),
        ms(hooked.after_ns),
        f"{hooked.after_ns / hooked.before_ns - 1:+.1%}",
        f"{sites}",
        f"{hooked.exact_sites / sites:.0%}" if sites else "-",
        f"{len(hooked.lines)}",
        f"{len(marked)}",
        f"{len(marked & hooked.lines)}",
    )
    return f"| {' | '.join(cells)} |"


def ms(ns: int) -> str:
    return f"{ns / 1e6:.2f}"


if __name__ == "__main__":
    main()
