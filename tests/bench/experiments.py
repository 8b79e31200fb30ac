"""How often `tbprof ab` and `tbprof verify` are right: `python tests/bench/experiments.py KIND COUNT`.

KIND is one of

- `simulated`: series of each kind of noise: how often the interval holds the truth, how often a difference is
  seen where there is none, and how often 2 % within 200 steps a side, and 5 % within 60;
- `itself`: real programs against themselves, whose processes take turns; takes about 30 s each;
- `waits`: real programs with seeded waits before an exposed line and a hidden one;
- `overhead`: what the end of a step costs, by the same steps with and without it;
- `interrupted`: `tbprof ab` interrupted at moments of its course.

Prints the rows of `experiments.md`.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from simulated_sides import KINDS, simulated_sides  # noqa: E402

from tbprof.experiment.estimator import Estimate, estimate  # noqa: E402
from tbprof.experiment.measuring import Series, Wanted, measure  # noqa: E402

PROGRAM = """
import queue, random, threading, time, torch
from torch import nn
random.seed({seed})
torch.set_num_threads(1)
batches = queue.Queue(2)
def load():
    while True:
        time.sleep({hidden})
        batches.put(torch.randn({batch}, 64))
threading.Thread(target=load, daemon=True).start()
model = nn.Sequential(nn.Linear(64, {width}), nn.ReLU(), nn.Linear({width}, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(1_000_000):
    batch = batches.get()
    time.sleep({exposed})
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
HIDDEN_LINE, EXPOSED_LINE = 9, 17


def paired(kind: str, seed: int, effect: float, pairs: int, steps: int) -> Estimate:
    *sides, coin = simulated_sides(kind, seed, effect, 2 * pairs * steps)
    wanted = Wanted(0.0, 0.0, math.inf, most_pairs=pairs)
    found = estimate(measure((sides[0], sides[1]), steps, wanted, Series(), rng=coin).wall)
    assert found is not None
    return found


def simulated(count: int) -> Iterator[str]:
    yield "| noise | holds 2 % (60 pairs) | equal, seen as different | 2 % in 200 steps | 5 % in 60 steps |"
    yield "|---|---|---|---|---|"
    for kind in KINDS:
        held = [paired(kind, seed, 0.02, 60, 4) for seed in range(count)]
        equal = [paired(kind, seed, 0.0, 60, 4) for seed in range(count, 2 * count)]
        small = [paired(kind, seed, 0.02, 100, 2) for seed in range(count)]
        large = [paired(kind, seed, 0.05, 30, 2) for seed in range(count)]
        holds = sum(each.low <= math.log(1.02) <= each.high for each in held)
        seen = [sum(each.is_beyond(0) for each in series) for series in (equal, small, large)]
        yield f"| {kind} | {' | '.join(f'{each / count:.1%}' for each in (holds, *seen))} |"


def drawn(seed: int) -> str:
    coin = random.Random(seed)
    waits = {"hidden": round(coin.uniform(0.001, 0.004), 4), "exposed": round(coin.uniform(0.008, 0.02), 4)}
    return PROGRAM.format(seed=seed, batch=coin.choice((16, 64)), width=coin.choice((32, 128)), **waits)


def ended(folder: Path, *arguments: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tbprof", *arguments, "--force", "--format", "json"]
    said = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return said.returncode, said.stdout or said.stderr


def itself(count: int, minutes: str = "0.2") -> Iterator[str]:
    verdicts: Counter[str] = Counter()
    widths = []
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(count):
            Path(temporary, "train.py").write_text(drawn(seed), encoding="utf-8")
            options = ("--no-proof", "--max-minutes", minutes)
            outcome = json.loads(ended(Path(temporary), "ab", "train.py", "train.py", *options)[1])
            verdicts[outcome["verdict"]] += 1
            widths.append((outcome["interval"][1] - outcome["interval"][0]) / 2)
            sys.stderr.write(f"{seed} {outcome['verdict']} {outcome['sentence']}\n")
    yield f"{count} programs against themselves: {dict(verdicts)}; half of the interval {percent(widths)}"


def waits(count: int, minutes: str = "0.4") -> Iterator[str]:
    held = {"exposed": 0, "hidden": 0}
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        for seed in range(count):
            Path(temporary, "train.py").write_text(drawn(seed), encoding="utf-8")
            for name, line, truth in (("exposed", EXPOSED_LINE, 1.0), ("hidden", HIDDEN_LINE, 0.0)):
                options = ("--line", f"train.py:{line}", "--max-minutes", minutes)
                found = json.loads(ended(Path(temporary), "verify", "train.py", *options)[1])
                low, high = found["interval"]
                held[name] += low <= truth <= high
                verdicts[f"{name}: {found['verdict']}"] += 1
                sys.stderr.write(f"{seed} {name} {found['sentence']}\n")
    yield f"{count} programs: the interval holds the truth for {held}; said: {dict(verdicts)}"


def overhead(count: int) -> Iterator[str]:
    import socket

    from tbprof.experiment.messages import Line, Order
    from tbprof.experiment.turns import Turns

    one, other = socket.socketpair()
    turns, far = Turns(Line(one), "", ""), Line(other)
    turns.order = Order(10 * count)
    costs = []
    for _ in range(count):
        begun = time.perf_counter_ns()
        turns.step()
        costs.append(time.perf_counter_ns() - begun)
    begun = time.perf_counter_ns()
    turns.end_block()
    ended_ns = time.perf_counter_ns() - begun
    far.receive()
    step_us = statistics.median(costs) / 1000
    yield f"the end of a step takes {step_us:.2f} us, that of a block {ended_ns / 1e6:.2f} ms"


def interrupted(count: int) -> Iterator[str]:
    said: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder, inside = Path(temporary, "project"), Path(temporary, "temporary")
        folder.mkdir()
        inside.mkdir()
        (folder / "train.py").write_text(drawn(0), encoding="utf-8")
        for at in range(count):
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(inside)}
            command = [sys.executable, "-m", "tbprof", "ab", "train.py", "train.py", "--no-proof", "--force"]
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
            time.sleep(0.3 + 20 * at / count)
            process.send_signal(signal.SIGINT)
            printed, _ = process.communicate(timeout=120)
            left = [*inside.iterdir(), *_processes(inside)]
            said[
                f"code {process.returncode}, {'printed' if printed else 'nothing yet'}, {len(left)} left"
            ] += 1
    yield f"interrupted at {count} moments: {dict(said)}"


def _processes(mark: Path) -> Iterator[str]:
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if os.fsencode(mark) in file.read_bytes():
                yield file.parent.name
        except OSError:
            continue


def percent(shares: list[float]) -> str:
    return f"{min(shares):.1%} to {max(shares):.1%}, median {statistics.median(shares):.1%}"


if __name__ == "__main__":
    KINDS_OF_BENCH = {each.__name__: each for each in (simulated, itself, waits, overhead, interrupted)}
    for row in KINDS_OF_BENCH[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:]):
        print(row, flush=True)
