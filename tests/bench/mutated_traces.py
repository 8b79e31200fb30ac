"""What readers get out of injured traces: `python tests/bench/mutated_traces.py [COUNT] [PEERS]`.

COUNT mutants of the samples (10,000 by default) are read by tbprof, the first PEERS of them
(200) by torch-tb-profiler as well, where it is installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS / "trace")]

from trace_mutants import KINDS, Mutant, Verdict, mutant, sample  # noqa: E402
from trace_samples import rows_of, write  # noqa: E402

from tbprof.errors import TraceError  # noqa: E402
from tbprof.trace.reader import read_trace  # noqa: E402

SAMPLES = (
    "h100_transformer_clean/dc3b_3169006.pt.trace.json.gz",
    "h100_bert_small_infer/h100_bert_small.json.gz",
)


def tbprof(injured: Mutant, path: Path) -> Verdict:
    try:
        rows = rows_of(read_trace(path))
    except TraceError:
        return Verdict(injured, opened=False, kept=Counter())
    return Verdict(injured, opened=True, kept=Counter(row[:3] for row in rows))


def torch_tb_profiler(injured: Mutant, path: Path) -> Verdict:
    from torch_tb_profiler.profiler.data import RunProfileData

    try:
        data = RunProfileData.parse("worker", None, str(path), str(path.parent))
    except Exception:  # noqa: BLE001 - whatever it raises, it did not open the file
        return Verdict(injured, opened=False, kept=Counter())
    kept = Counter(
        (round(event.ts * 1000), round(event.duration * 1000), event.name)
        for event in data.events
        if hasattr(event, "duration")
    )
    return Verdict(injured, opened=True, kept=kept)


def mutants(count: int) -> Iterator[Mutant]:
    """Nine of ten of the first sample, with pieces of the second; the rest the other way round."""
    first, second = map(sample, SAMPLES)
    rng = random.Random(20261120)
    for number in range(count):
        original, other = (second, first) if number % 10 == 9 else (first, second)
        yield mutant(original, other.content, rng)


def judge(read: Callable[[Mutant, Path], Verdict], count: int) -> Iterator[tuple[Verdict, float]]:
    """Each verdict with the time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        for injured in mutants(count):
            path = write(Path(folder), injured.content)
            started_s = time.process_time()
            yield read(injured, path), time.process_time() - started_s


def rows(name: str, read: Callable[[Mutant, Path], Verdict], count: int) -> Iterator[str]:
    """A line for each kind of injury, and one for all."""
    shares: dict[str, list[float]] = {kind: [] for kind in (*KINDS, "all")}
    opened: Counter[str] = Counter()
    slowest_s = 0.0
    for verdict, took_s in judge(read, count):
        slowest_s = max(slowest_s, took_s)
        if not verdict.mutant.intact:
            continue
        for kind in (verdict.mutant.kind, "all"):
            opened[kind] += verdict.opened
            shares[kind].append(verdict.share if verdict.opened else 0.0)
    for kind, found in shares.items():
        if found:
            yield (
                f"| {name} | {kind} | {len(found)} | {opened[kind] / len(found):.1%} | "
                f"{statistics.mean(found):.2%} | {min(found):.1%} | "
                f"{f'{slowest_s:.2f}' if kind == 'all' else ''} |"
            )


def main() -> None:
    count, peers = (int(number) for number in (*sys.argv[1:], *("10000", "200")[len(sys.argv) - 1 :]))
    logging.disable(logging.CRITICAL)
    lines = [f"{date.today()}, Python {sys.version.split()[0]}\n"]
    lines += ["| reader | injury | traces | opened | intact events read, mean | worst | slowest, CPU s |"]
    lines += ["|---|---|---|---|---|---|---|"]
    with contextlib.redirect_stdout(sys.stderr):
        lines += rows("tbprof", tbprof, count)
        if importlib.util.find_spec("torch_tb_profiler") is not None:
            lines += rows("torch-tb-profiler", torch_tb_profiler, peers)
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
