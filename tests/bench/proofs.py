"""How often `tbprof prove` is right: `python tests/bench/proofs.py [RIGHT WRONG HARMLESS [SEED]]`.

Draws so many changes of each kind by the seed from those beside the tests of prove, each in surroundings of
its own; by default 200, 400 and 200, which takes an hour or two. Prints the table of `proofs.md`, and each
trial that is not as wanted.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "preflight" / "proof")]

from made_programs import GOOD, HARMLESS, ITEM, SUBJECTS, Change, pair  # noqa: E402
from side_server import SideServer, prove_sources  # noqa: E402

from tbprof.preflight.proof.judging import Proof  # noqa: E402

HEADER = "| changes | trials | as wanted | verdicts |\n|---|---|---|---|"


@dataclass(frozen=True)
class Trial:
    kind: str
    name: str
    before: str
    after: str
    expected: tuple[str, ...]


def drawn(changes: Sequence[Change], kind: str, count: int, rng: random.Random) -> Iterator[Trial]:
    """Each change once before one comes again, in other surroundings."""
    for number in range(count):
        change = changes[number % len(changes)] if count >= len(changes) else rng.choice(changes)
        yield Trial(kind, change.name, *pair(change, rng.randrange(10**6)), change.expected)


def trials(right: int, wrong: int, harmless: int, seed: int) -> list[Trial]:
    rng = random.Random(seed)
    found: list[Trial] = []
    for subject, changes in SUBJECTS.items():
        for is_right, count in ((True, right), (False, wrong)):
            chosen = [change for change in changes if change.is_right is is_right]
            of_all = sum(c.is_right is is_right for each in SUBJECTS.values() for c in each)
            share = round(count * len(chosen) / max(of_all, 1))
            kind = f"{subject}: {'right' if is_right else 'wrong'}"
            found += drawn(chosen, kind, share, rng) if chosen else ()
    names = sorted(HARMLESS)
    for number in range(harmless):
        name = names[number % len(names)]
        before, _ = pair(Change(name, ITEM, {}, GOOD), rng.randrange(10**6))
        found.append(Trial("harmless", name, before, HARMLESS[name](before), GOOD))
    return found


def complaint(trial: Trial, proof: Proof) -> str:
    """What is not as wanted; "" where all is."""
    if proof.verdict not in trial.expected:
        wanted = " or ".join(trial.expected)
        return f"{trial.kind}: {trial.name}: {proof.verdict}, not {wanted}: {proof.sentence}"
    return ""


def main(arguments: Sequence[str]) -> None:
    numbers = [int(each) for each in arguments] or [200, 400, 200, 1]
    right, wrong, harmless, *seed = numbers
    started, wanted, verdicts = time.monotonic(), Counter[str](), Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as temporary:
        server = SideServer(Path(temporary))
        for number, trial in enumerate(trials(right, wrong, harmless, *(seed or [1]))):
            proof = prove_sources(server, trial.before, trial.after, Path(temporary) / str(number))
            said = complaint(trial, proof)
            wanted[trial.kind] += not said
            verdicts[trial.kind, proof.verdict] += 1
            if said:
                sys.stderr.write(f"{said}\n")
                sys.stderr.flush()
        server.close()
    print(f"{date.today()}, Python {sys.version.split()[0]}, torch {version('torch')}.\n\n{HEADER}")
    for kind in dict.fromkeys(kind for kind, _ in verdicts):
        each = ", ".join(f"{name} {count}" for (of, name), count in verdicts.items() if of == kind)
        total = sum(count for (of, _), count in verdicts.items() if of == kind)
        print(f"| {kind} | {total} | {wanted[kind]} | {each} |")
    print(f"\nIt took {(time.monotonic() - started) / 60:.0f} minutes beside other work.")


if __name__ == "__main__":
    main(sys.argv[1:])
