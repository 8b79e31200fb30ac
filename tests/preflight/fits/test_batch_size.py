"""How a program is told its batch size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.errors import UsageError
from tbprof.preflight.fits.batch_size import loaders_resized, way_of, with_batch

DEFINES = 'parser.add_argument("--train-batch-size", type=int)'
OWN_NAMES = "names = ['--test-mini-batch-size', '--mini-batch-size', '--N_rand']"
READS = 'batch = int(os.environ["TBPROF_BATCH_SIZE"])'


@pytest.mark.parametrize(
    ("source", "arguments", "flag", "way"),
    [
        ("", ["--lr", "1", "--bs=4"], "", "its argument --bs"),
        (DEFINES, [], "", "its argument --train-batch-size"),
        (DEFINES, [], "data.batch", "its argument data.batch"),
        (OWN_NAMES, [], "", "its argument --mini-batch-size"),
        ("", ["--data.BatchSize=4"], "", "its argument --data.BatchSize"),
        ("", ["--eval_batch_size", "4"], "", "the batch_size of each of its DataLoaders"),
        (OWN_NAMES, [], "N_rand", "its argument --N_rand"),
        (OWN_NAMES, ["N_rand=8"], "N_rand", "its argument N_rand"),
        (READS, [], "", "TBPROF_BATCH_SIZE"),
        ("loader = 1", [], "", "the batch_size of each of its DataLoaders"),
        ("no Python (", [], "", "the batch_size of each of its DataLoaders"),
    ],
)
def test_how_a_program_is_told(
    tmp_path: Path, source: str, arguments: list[str], flag: str, way: str
) -> None:
    (script := tmp_path / "train.py").write_text(source)
    assert way_of(str(script), arguments, flag, is_module=False).name == way


@pytest.mark.parametrize(
    ("arguments", "flag", "changed"),
    [
        ([], "--bs", ["--bs", "16"]),
        (["--bs", "4", "fast"], "--bs", ["--bs", "16", "fast"]),
        (["fast", "--bs=4"], "--bs", ["fast", "--bs=16"]),
        (["lr=1"], "data.batch", ["lr=1", "data.batch=16"]),
        (["data.batch=4", "lr=1"], "data.batch", ["data.batch=16", "lr=1"]),
    ],
)
def test_arguments_with_another_size(arguments: list[str], flag: str, changed: list[str]) -> None:
    assert with_batch(arguments, flag, 16) == changed


def test_loaders_that_make_batches_make_them_so_large() -> None:
    data = pytest.importorskip("torch.utils.data")
    with loaders_resized(3):
        made = data.DataLoader(range(9), 2)
        single = data.DataLoader(range(9), batch_size=None)
        whole = data.DataLoader(range(9), collate_fn=lambda batches: batches[0])
    assert made.batch_size == 3
    assert (single.batch_size, whole.batch_size) == (None, 1)
    assert data.DataLoader(range(9), 2).batch_size == 2
    with pytest.raises(UsageError, match="--batch-flag"), loaders_resized(3):
        data.DataLoader(range(9), batch_size=None)
