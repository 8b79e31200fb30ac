"""Are the lines that preflight predicts those that wait on a GPU? Program by program.

python tests/bench/preflight_against_witnesses.py RECORDING

RECORDING is the folder with `programs.json` and `source/`; the programs run again here, without a GPU.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "recorded"), str(TESTS.parent)]

from preflight_agreement import Agreement, PredictedProgram, compare, predicted_programs  # noqa: E402
from recorded_lines import Line  # noqa: E402

HEAD = """\
| program | predicted | witnessed | both | precision | recall | beyond the witnesses | marked | both | \
precision | recall |
|---|---|---|---|---|---|---|---|---|---|---|"""
NO_WITNESS = "| - | - | - | -"


def main(recording: Path) -> None:
    programs = list(predicted_programs(recording))
    ran = [each for each in programs if not each.error]
    print(HEAD)
    for program in ran:
        print(f"| {program.name} | {len(program.predicted)} {_witnessed(program)} {_marked(program)} |")
    print(f"| all | {sum(len(each.predicted) for each in ran)} {_all_witnessed(ran)} {_all_marked(ran)} |")
    print()
    for program in programs:
        print(*_disagreements(program), sep="\n", end="")
    if all(each.witnessed is None for each in programs):
        print(f"No program in {recording} has a witness: record them on a GPU. Marks are expectations.")


def against_witnesses(program: PredictedProgram) -> Agreement | None:
    if program.witnessed is None:
        return None
    return compare(program, program.witnessed, program.unwitnessable)


def against_marks(program: PredictedProgram) -> Agreement:
    return compare(program, program.marked, program.maybe)


def _witnessed(program: PredictedProgram) -> str:
    told = against_witnesses(program)
    unseen = program.unwitnessable - (program.witnessed or frozenset())
    return f"{NO_WITNESS if told is None else _cells([told])} | {len(unseen)}"


def _marked(program: PredictedProgram) -> str:
    return _cells([against_marks(program)])


def _all_witnessed(programs: Sequence[PredictedProgram]) -> str:
    told = [agreement for each in programs if (agreement := against_witnesses(each)) is not None]
    return f"{_cells(told) if told else NO_WITNESS} |"


def _all_marked(programs: Sequence[PredictedProgram]) -> str:
    return _cells([against_marks(each) for each in programs])


def _cells(some: Sequence[Agreement]) -> str:
    """Told lines, those predicted as well, precision and recall."""
    both = sum(each.both for each in some)
    missed = sum(len(each.missed) for each in some)
    unexpected = sum(len(each.unexpected) for each in some)
    return f"| {both + missed} | {both} | {_percent(both, unexpected)} | {_percent(both, missed)}"


def _percent(part: int, rest: int) -> str:
    return f"{part / (part + rest):.1%}" if part + rest else "-"


def _disagreements(program: PredictedProgram) -> Iterable[str]:
    if program.error:
        yield f"- {program.name} could not run without a GPU: {program.error}\n"
        return
    pairs = {"witnesses": against_witnesses(program), "marks": against_marks(program)}
    for who, told in pairs.items():
        if told is not None and (told.missed or told.unexpected):
            missed, unexpected = _places(told.missed), _places(told.unexpected)
            yield f"- {program.name}, against its {who}: missed {missed}; told alone {unexpected}\n"


def _places(lines: Iterable[Line]) -> str:
    return ", ".join(f"{Path(file).name}:{line}" for file, line in sorted(lines)) or "nothing"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
