"""Waits inside a framework that one of its own options takes away."""

from __future__ import annotations

import pathlib

import pytest
from rule_scenes import each_step, found
from scenes import read_scalar, upload
from trace_builder import TraceBuilder

from tbprof.report import build_report
from tbprof.rules.base.hints import HINTS

ITEM = ("aten::item", "aten::_local_scalar_dense")
TRUTH = ("aten::is_nonzero", *ITEM)
SAMPLES = pathlib.Path(__file__).parents[3] / "logs" / "samples"


def hint(frame: str, ops: tuple[str, ...] = ITEM) -> object:
    """What the finding about one read a step says, whose innermost frame of the user is this."""

    def read(built: TraceBuilder, at: float) -> None:
        built.frame("train.py(1): main", at - 20, at + 150)
        built.frame(frame, at - 10, at + 120)
        read_scalar(built, at, wait=100, ops=ops)

    (finding,) = found(each_step(read), "SYN01", "SYN02", "SYN03", "SYN07")
    return finding.numbers.get("hint")


@pytest.mark.parametrize(
    ("frame", "ops", "code"),
    [
        ("transformers/trainer.py(2100): _inner_training_loop", TRUTH, "transformers_nan_filter"),
        ("transformers/trainer.py(2400): _maybe_log_save_evaluate", ITEM, "transformers_logging_steps"),
        ("transformers/masking_utils.py(776): find", TRUTH, "transformers_attention_mask"),
        ("lightning/fabric/utilities/apply_func.py(130): to_item", ITEM, "lightning_log"),
        ("lightning_fabric/utilities/apply_func.py(130): to_item", ITEM, "lightning_log"),
        (
            "torchmetrics/functional/classification/stat_scores.py(250): _multiclass_tensor_validation",
            ("aten::_unique2",),
            "torchmetrics_validate_args",
        ),
    ],
)
def test_a_known_frame_has_a_hint(frame: str, ops: tuple[str, ...], code: str) -> None:
    assert hint(frame, ops) == code
    assert hint(f"/opt/site-packages/{frame}", ops) == code
    assert hint("C:\\venv\\" + frame.replace("/", "\\"), ops) == code


@pytest.mark.parametrize(
    "frame",
    [
        "my_transformers/trainer.py(1): train",
        "transformers/trainer.py.py(1): train",
        "transformers/trainer_utils.py(1): log",
        "lightning/fabric/utilities/apply_func.py(100): batch_to",
        "torchmetrics/metric.py(1): update",
    ],
)
def test_any_other_frame_has_none(frame: str) -> None:
    assert hint(frame) is None


def test_without_a_frame_there_is_none() -> None:
    (finding,) = found(each_step(lambda built, at: read_scalar(built, at, wait=100)), "SYN01")
    assert "hint" not in finding.numbers


def test_an_upload_is_no_wait_of_that_option() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.frame("transformers/trainer.py(1): _prepare_input", at - 10, at + 120)
        upload(built, at, wait=100, size_bytes=10**7)

    (finding,) = found(each_step(move), "CPY01")
    assert "hint" not in finding.numbers


def test_a_sample_is_told_to_leave_the_mask_out() -> None:
    report = build_report(SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "SYN02"]
    assert finding.numbers == {"hint": "transformers_attention_mask"}


def test_codes_are_there_once() -> None:
    codes = [row.code for row in HINTS]
    assert len(set(codes)) == len(codes)
