"""Programs with a line of each form of `tbprof fix`, and with lines that it must not mend."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from made_programs import merged, source_of, surroundings


@dataclass(frozen=True)
class Form:
    name: str
    needs: dict[str, str]
    """Surroundings of the program, by their kind."""
    rule: str
    slots: dict[str, str]
    written: tuple[str, ...]
    """Lines that the mended program has; of a form that must not be mended, verdicts of which it gets one."""

    def source(self, seed: int) -> str:
        return source_of(merged(surroundings(random.Random(f"{self.name} {seed}"), self.needs), self.slots))


def read_forms(file: str) -> Iterator[Form]:
    text = (Path(__file__).parent / "fix" / file).read_text(encoding="utf-8")
    for part in re.split(r"(?m)^## ", text)[1:]:
        head, _, written = part.partition("\n->")
        (name, *needs), (rule, *_) = (line.split(", ") for line in head.split("\n", 2)[:2])
        _, *found = re.split(r"(?m)^\[(\+?)(\w+)\]\n", head)
        slots = {slot: plus + lines.strip("\n") for plus, slot, lines in zip(*[iter(found)] * 3, strict=True)}
        lines = tuple(line.strip() for line in written.strip().split("\n"))
        yield Form(name, dict(each.split(" ", 1) for each in needs), rule, slots, lines)


FORMS, WRONG = tuple(read_forms("forms.txt")), tuple(read_forms("wrong.txt"))
