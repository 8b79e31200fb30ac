"""Waits and copies inside a framework that one of its own options takes away."""

from __future__ import annotations

import pathlib

import pytest
from rule_scenes import each_step, found
from scenes import read_scalar, upload
from trace_builder import TraceBuilder

from tbprof.framework_options import FRAMEWORK_OPTIONS, option_at, written_out_option
from tbprof.report import build_report

ITEM = ("aten::item", "aten::_local_scalar_dense")
TRUTH = ("aten::is_nonzero", *ITEM)
SAMPLES = pathlib.Path(__file__).parents[1] / "logs" / "samples"


def hint(frame: str, ops: tuple[str, ...] = ITEM) -> object:
    """What the finding about one read a step says, whose innermost frame of the user is this."""

    def read(built: TraceBuilder, at: float) -> None:
        built.frame("train.py(1): main", at - 20, at + 150)
        built.frame(frame, at - 10, at + 120)
        read_scalar(built, at, wait=100, ops=ops)

    (finding,) = found(each_step(read), "SYN01", "SYN02", "SYN03", "SYN07")
    return finding.numbers().get("hint")


@pytest.mark.parametrize(
    ("frame", "ops", "code"),
    [
        ("transformers/trainer.py(2100): _inner_training_loop", TRUTH, "transformers_nan_filter"),
        ("transformers/trainer.py(2400): _maybe_log_save_evaluate", ITEM, "transformers_logging_steps"),
        (
            "transformers/masking_utils.py(776): find_packed_sequence_indices",
            TRUTH,
            "transformers_packed_sequences",
        ),
        ("transformers/masking_utils.py(307): _ignore_causal_mask_sdpa", TRUTH, "transformers_causal_mask"),
        (
            "transformers/masking_utils.py(369): _ignore_bidirectional_mask_sdpa",
            TRUTH,
            "transformers_attention_mask",
        ),
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
    assert "hint" not in finding.numbers()


READ, COPY, DECIDE = "aten::_local_scalar_dense", "aten::_to_copy", "aten::is_nonzero"


@pytest.mark.parametrize(
    ("file", "function", "op", "is_upload", "code"),
    [
        ("transformers/trainer.py", "_track_num_input_tokens", READ, False, "transformers_num_input_tokens"),
        ("transformers/trainer_pt_utils.py", "nested_numpify", COPY, False, "transformers_predictions"),
        ("accelerate/utils/operations.py", "send_to_device", COPY, True, "accelerate_non_blocking"),
        ("accelerate/utils/operations.py", "send_to_device", COPY, False, None),
        (
            "lightning/pytorch/callbacks/early_stopping.py",
            "_evaluate_stopping_criteria",
            READ,
            False,
            "lightning_early_stopping",
        ),
        (
            "torchmetrics/aggregation.py",
            "_cast_and_nan_check_input",
            READ,
            False,
            "torchmetrics_nan_strategy",
        ),
        ("ignite/engine/__init__.py", "<lambda>", READ, False, "ignite_output_transform"),
        ("ignite/metrics/accuracy.py", "update", COPY, False, "ignite_metric_device"),
        ("ignite/utils.py", "_func", COPY, True, "ignite_non_blocking"),
        ("fastai/callback/tracker.py", "after_batch", READ, False, "fastai_terminate_on_nan"),
        ("mmengine/model/base_model/data_preprocessor.py", "cast_data", COPY, True, "mmengine_non_blocking"),
        (
            "stable_baselines3/common/on_policy_algorithm.py",
            "collect_rollouts",
            COPY,
            False,
            "stable_baselines3_device",
        ),
        (
            "stable_baselines3/common/distributions.py",
            "proba_distribution",
            "aten::is_nonzero",
            False,
            "stable_baselines3_distributions",
        ),
        ("detectron2/engine/train_loop.py", "write_metrics", READ, False, "detectron2_async_write_metrics"),
        ("megatron/core/rerun_state_machine.py", "validate_result", READ, False, "megatron_check_for_nan"),
        ("transformers/trainer.py", "_inner_training_loop", READ, False, None),
        ("torch/optim/lbfgs.py", "_strong_wolfe", DECIDE, False, "torch_lbfgs"),
        (
            "torch/nn/modules/transformer.py",
            "_detect_is_causal_mask",
            "aten::is_nonzero",
            False,
            "torch_is_causal",
        ),
        ("torch/autograd/graph.py", "_engine_run_backward", COPY, False, "torch_gradient_to_host"),
        ("torch/distributions/distribution.py", "__init__", DECIDE, False, "torch_distributions"),
    ],
)
def test_a_frame_has_the_option_of_what_it_does(
    file: str, function: str, op: str, is_upload: bool, code: str | None
) -> None:
    option = option_at(f"/venv/site-packages/{file}", function, (op,), is_upload=is_upload)
    assert (option.code if option else None) == code


def test_an_upload_is_no_wait_of_that_option() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.frame("transformers/trainer.py(1): _prepare_input", at - 10, at + 120)
        upload(built, at, wait=100, size_bytes=10**7)

    (finding,) = found(each_step(move), "CPY01")
    assert "hint" not in finding.numbers()


def test_an_upload_of_a_framework_has_its_option() -> None:
    def move(built: TraceBuilder, at: float) -> None:
        built.frame("accelerate/utils/operations.py(160): send_to_device", at - 10, at + 120)
        upload(built, at, wait=100, size_bytes=10**7)

    (finding,) = found(each_step(move), "CPY01")
    assert finding.numbers()["hint"] == "accelerate_non_blocking"


def test_a_sample_is_told_to_leave_the_mask_out() -> None:
    report = build_report(SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "SYN02"]
    assert finding.numbers() == {"hint": "transformers_attention_mask"}


def test_no_question_about_a_mask_is_answered_by_another_one() -> None:
    """Without an attention_mask, transformers looks for packed sequences."""
    fixes = {option.code: option.fix for option in FRAMEWORK_OPTIONS}
    assert "give no attention_mask" in fixes["transformers_attention_mask"]
    for code in ("transformers_packed_sequences", "transformers_causal_mask"):
        assert "give no attention_mask" not in fixes[code]


def test_codes_are_there_once() -> None:
    codes = [row.code for row in FRAMEWORK_OPTIONS]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    ("rule", "file", "function", "code"),
    [
        (
            "FUS04",
            "transformers/models/bert/modeling_bert.py",
            "eager_attention_forward",
            "transformers_attention",
        ),
        ("FUS04", "C:\\transformers\\models\\vit\\a.py", "eager_attention_forward", "transformers_attention"),
        # A model that has no other form.
        ("FUS04", "transformers/models/owlv2/modeling_owlv2.py", "forward", None),
        ("FUS04", "train.py", "eager_attention_forward", None),
        ("FUS02", "transformers/models/bert/modeling_bert.py", "eager_attention_forward", None),
    ],
)
def test_a_formula_of_a_framework_has_its_option(
    rule: str, file: str, function: str, code: str | None
) -> None:
    option = written_out_option(rule, file, function)
    assert (option.code if option else None) == code
