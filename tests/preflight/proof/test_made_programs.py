"""`tbprof prove` on made programs: no wrong change is proved, right ones are, harmless ones are equal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from made_programs import GOOD, HARMLESS, ITEM, RIGHT, WRONG, Change, pair
from side_server import SideServer, prove_sources


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SideServer]:
    server = SideServer(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


def seeded(changes: tuple[Change, ...], seeds: range) -> list[tuple[Change, int]]:
    return [(change, seed) for seed in seeds for change in changes]


def judge(server: SideServer, folder: Path, change: Change, seed: int) -> None:
    before, after = pair(change, seed)
    proof = prove_sources(server, before, after, folder)
    assert proof.verdict in change.expected, f"{proof.sentence}\n{before}\n{after}"
    assert proof.sentence.endswith(".")
    lines = {f"train.py:{at}" for at, line in enumerate(before.splitlines(), 1) if line.endswith("# gone")}
    if lines:
        assert proof.claim is not None
        named = (*proof.claim.gone, *proof.claim.changed, *proof.claim.moved)
        assert lines <= {line.source.partition(" ->")[0] for line in named}
    if proof.verdict == "not equal":
        first, printed = proof.result and proof.result.first_difference, proof.result and proof.result.printed
        assert first or printed


def rewrite(server: SideServer, folder: Path, name: str, seed: int) -> None:
    before, _ = pair(Change(name, ITEM, {}, GOOD), seed)
    proof = prove_sources(server, before, HARMLESS[name](before), folder)
    assert proof.verdict in GOOD, f"{proof.sentence}\n{HARMLESS[name](before)}"


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        (RIGHT, "constant hoisted"),
        *((WRONG, name) for name in ("unawaited read", "smaller batches")),
    ],
)
def test_one_of_each_kind(server: SideServer, tmp_path: Path, changes: tuple[Change, ...], name: str) -> None:
    judge(server, tmp_path, next(change for change in changes if change.name == name), 0)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "seed"), seeded(RIGHT[::8], range(1)))
def test_right_changes_are_proved(server: SideServer, tmp_path: Path, change: Change, seed: int) -> None:
    judge(server, tmp_path, change, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "seed"), seeded(WRONG[::8], range(1)))
def test_no_wrong_change_is_proved(server: SideServer, tmp_path: Path, change: Change, seed: int) -> None:
    judge(server, tmp_path, change, seed)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "seed"), [(name, 0) for name in HARMLESS][::7])
def test_harmless_rewrites_are_equal(server: SideServer, tmp_path: Path, name: str, seed: int) -> None:
    rewrite(server, tmp_path, name, seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(8))
def test_in_many_surroundings(server: SideServer, tmp_path: Path, seed: int) -> None:
    for number, change in enumerate((*RIGHT, *WRONG)):
        judge(server, tmp_path / str(number), change, seed)
    for name in HARMLESS:
        rewrite(server, tmp_path / name.replace(" ", "_"), name, seed)
