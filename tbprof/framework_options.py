"""Waits, copies and formulas inside a framework, or torch's own code, that an option takes away (data).

The frame of such a site is the framework's, and its user can't change the line: the option is
the fix. Its code goes into a finding's numbers as `hint`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from tbprof.records import dataclass

_Kind: TypeAlias = Literal["read", "upload", "FUS04"]

_ANY = r".*"
_TRUTH = "aten::is_nonzero"
_VALUE = "aten::_local_scalar_dense"
_COPY = "aten::_to_copy"
CHECKED_ERRORS = "aten::_linalg_check_errors"

CHECKED = (
    "inverse",
    "linalg_inv",
    "linalg_cholesky",
    "linalg_solve",
    "linalg_lu_factor",
    "linalg_ldl_factor",
)
"""Functions of torch's that do that."""

_WITHOUT_VALIDATION = (
    "torch checks what a distribution is given: once, at the start, "
    "torch.distributions.Distribution.set_default_validate_args(False) turns it off."
)
_TURN_OFF_VALIDATION = "Call `torch.distributions.Distribution.set_default_validate_args(False)`"


@dataclass(frozen=True, slots=True)
class FrameworkOption:
    code: str
    order: str
    """What to do, in the imperative; may hold `code`."""
    file: str
    """Matches the end of the frame's file, with forward slashes."""
    function: str
    """Matches the whole name of its function."""
    op: str
    """One of the ops around the site; "" where any will do."""
    fix: str
    """The option, in a sentence."""
    kind: _Kind = "read"
    """To the host, from it, or the rule whose formula stands there."""


FRAMEWORK_OPTIONS: tuple[FrameworkOption, ...] = (
    FrameworkOption(
        "transformers_num_input_tokens",
        'Set `include_num_input_tokens_seen="no"`',
        r"transformers/trainer\.py",
        r"_track_num_input_tokens",
        "",
        'The Trainer counts the tokens of each batch: include_num_input_tokens_seen="no" turns it off.',
    ),
    # `logging_nan_inf_filter=True` asks of every loss whether it is NaN or infinite.
    FrameworkOption(
        "transformers_nan_filter",
        "Set `logging_nan_inf_filter=False`",
        r"transformers/trainer\.py",
        _ANY,
        _TRUTH,
        "The Trainer asks this of every loss: logging_nan_inf_filter=False turns it off.",
    ),
    FrameworkOption(
        "transformers_logging_steps",
        "Raise `logging_steps`",
        r"transformers/trainer\.py",
        r"_maybe_log_save_evaluate",
        _VALUE,
        "The Trainer reads this when it logs: raise logging_steps.",
    ),
    FrameworkOption(
        "transformers_predictions",
        "Set `prediction_loss_only=True`",
        r"transformers/trainer_pt_utils\.py",
        r"nested_numpify|to_cpu_and_numpy",
        "",
        "Evaluation brings all predictions to the host: prediction_loss_only=True keeps them away, "
        "preprocess_logits_for_metrics makes them smaller.",
    ),
    # Without a mask a decoder looks whether its positions begin again, with one whether it is all ones.
    FrameworkOption(
        "transformers_packed_sequences",
        "Compile the model",
        r"transformers/masking_utils\.py",
        r"find_packed_sequence_indices",
        _TRUTH,
        "transformers looks for packed sequences in a batch without an attention_mask, and asks of a mask "
        "whether it is all ones: only a model that is compiled asks neither.",
    ),
    FrameworkOption(
        "transformers_causal_mask",
        "Compile the model",
        r"transformers/masking_utils\.py",
        r"_ignore_causal_mask_sdpa|flash_attention_mask|flex_attention_mask",
        _TRUTH,
        "transformers asks whether the mask is all ones, and looks for packed sequences where there is none: "
        "only a model that is compiled asks neither.",
    ),
    # An encoder, and all before packed sequences were known, asks only where a mask is given.
    FrameworkOption(
        "transformers_attention_mask",
        "Give no `attention_mask` where nothing is padded",
        r"transformers/(?:modeling_attn_mask_utils|masking_utils)\.py",
        _ANY,
        _TRUTH,
        "transformers asks whether the mask is all ones: give no attention_mask where nothing is padded.",
    ),
    FrameworkOption(
        "transformers_attention",
        'Load the model with `attn_implementation="sdpa"`',
        r"transformers/models/.*\.py",
        r"eager_attention_forward",
        "",
        'transformers writes attention out where it is set to "eager": attn_implementation="sdpa" of '
        "from_pretrained takes scaled_dot_product_attention, for models that support it.",
        "FUS04",
    ),
    FrameworkOption(
        "accelerate_non_blocking",
        "Set `DataLoaderConfiguration(non_blocking=True)`",
        r"accelerate/utils/operations\.py",
        r"send_to_device",
        _COPY,
        "Accelerate moves the batch: DataLoaderConfiguration(non_blocking=True), of the Trainer "
        'accelerator_config={"non_blocking": True}, beside a loader with pin_memory=True.',
        "upload",
    ),
    FrameworkOption(
        "lightning_log",
        "Raise `log_every_n_steps`, and log without `prog_bar`",
        r"(?:lightning/fabric|lightning_fabric)/utilities/apply_func\.py",
        r"to_item|convert_tensors_to_scalars",
        _VALUE,
        "self.log brings its value to the host: raise log_every_n_steps of the Trainer, and log without "
        "prog_bar.",
    ),
    FrameworkOption(
        "lightning_early_stopping",
        "Set `check_finite=False`",
        r"(?:lightning/pytorch|pytorch_lightning)/callbacks/early_stopping\.py",
        r"_evaluate_stopping_criteria",
        _VALUE,
        "EarlyStopping reads its metric at each check: check_finite=False spares one of the reads.",
    ),
    FrameworkOption(
        "torchmetrics_validate_args",
        "Set `validate_args=False`",
        r"torchmetrics/.*\.py",
        r".*_validation",
        "",
        "The metric looks at every batch: validate_args=False turns that off.",
    ),
    FrameworkOption(
        "torchmetrics_nan_strategy",
        'Set `nan_strategy="disable"`',
        r"torchmetrics/aggregation\.py",
        r"_cast_and_nan_check_input",
        "",
        'The metric looks for NaN in every value: nan_strategy="disable" turns that off.',
    ),
    FrameworkOption(
        "ignite_output_transform",
        "Give the trainer an `output_transform` that leaves the loss on the device",
        r"ignite/engine/__init__\.py",
        r"<lambda>",
        _VALUE,
        "A supervised trainer returns `loss.item()` unless it is set otherwise: "
        "output_transform=lambda x, y, y_pred, loss: loss.detach() leaves it on the device.",
    ),
    FrameworkOption(
        "ignite_metric_device",
        "Give the metric `device=`",
        r"ignite/metrics/.*\.py",
        _ANY,
        _COPY,
        "The metric sums up on the CPU unless it is set otherwise: give it device=.",
    ),
    FrameworkOption(
        "ignite_non_blocking",
        "Set `create_supervised_trainer(non_blocking=True)`",
        r"ignite/utils\.py",
        r"_func",
        _COPY,
        "Ignite moves the batch: non_blocking=True of create_supervised_trainer, beside a loader with "
        "pin_memory=True.",
        "upload",
    ),
    FrameworkOption(
        "fastai_terminate_on_nan",
        "Leave out `TerminateOnNaNCallback`",
        r"fastai/callback/tracker\.py",
        r"after_batch",
        _VALUE,
        "TerminateOnNaNCallback asks this of every loss: leave it out once the training is stable.",
    ),
    FrameworkOption(
        "mmengine_non_blocking",
        "Set `data_preprocessor=dict(non_blocking=True)`",
        r"mmengine/model/base_model/data_preprocessor\.py",
        r"cast_data",
        _COPY,
        "MMEngine moves the batch: data_preprocessor=dict(..., non_blocking=True), beside a loader with "
        "pin_memory=True.",
        "upload",
    ),
    # Stable-Baselines3 warns of it itself where the policy has no convolutions.
    FrameworkOption(
        "stable_baselines3_device",
        'Set `device="cpu"` for a policy without convolutions',
        r"stable_baselines3/common/on_policy_algorithm\.py",
        r"collect_rollouts",
        "",
        'Each action goes to the environment on the host: without convolutions, device="cpu" is faster.',
    ),
    FrameworkOption(
        "stable_baselines3_distributions",
        _TURN_OFF_VALIDATION,
        r"stable_baselines3/common/distributions\.py",
        _ANY,
        _TRUTH,
        _WITHOUT_VALIDATION,
    ),
    FrameworkOption(
        "detectron2_async_write_metrics",
        "Set `async_write_metrics=True`",
        r"detectron2/engine/train_loop\.py",
        r"write_metrics|<dictcomp>",
        _VALUE,
        "The trainer reads its losses in each step: async_write_metrics=True of SimpleTrainer reads them in "
        "a thread of its own.",
    ),
    FrameworkOption(
        "megatron_check_for_nan",
        "Set `--no-check-for-nan-in-loss-and-grad`",
        r"megatron/core/rerun_state_machine\.py",
        r"validate_result",
        _VALUE,
        "Megatron looks at each loss: --no-check-for-nan-in-loss-and-grad turns it off.",
    ),
    FrameworkOption(
        "torch_lbfgs",
        "Lower `max_iter`",
        r"torch/optim/lbfgs\.py",
        _ANY,
        "",
        "LBFGS decides on the host how an iteration goes on: a lower max_iter makes them fewer, and without "
        "line_search_fn each asks less.",
    ),
    FrameworkOption(
        "torch_is_causal",
        "Say with `is_causal=` which mask it is",
        r"torch/nn/modules/transformer\.py",
        r"_detect_is_causal_mask",
        _TRUTH,
        "torch compares the mask with a causal one in each forward: say which it is by is_causal= "
        "(tgt_is_causal= of a decoder; of nn.Transformer src_is_causal= and tgt_is_causal=).",
    ),
    FrameworkOption(
        "torch_gradient_to_host",
        "Make this tensor on the device",
        r"torch/autograd/(?:graph|__init__)\.py",
        r"_engine_run_backward|backward|grad",
        _COPY,
        "This is the gradient of a tensor of the host that the program moves to the device: make that tensor "
        "on the device, or move it before its requires_grad_().",
    ),
    FrameworkOption(
        "torch_distributions",
        _TURN_OFF_VALIDATION,
        r"torch/distributions/.*\.py",
        r"__init__|_validate_sample",
        _TRUTH,
        _WITHOUT_VALIDATION,
    ),
    FrameworkOption(
        "torch_linalg_errors",
        "Call the `_ex` form: `torch.linalg.inv_ex`, `cholesky_ex`, `solve_ex`, `lu_factor_ex`",
        _ANY,
        _ANY,
        CHECKED_ERRORS,
        "torch reads whether the matrix could be factorized: torch.linalg.inv_ex, cholesky_ex, solve_ex and "
        "lu_factor_ex return that as a tensor, and read nothing.",
    ),
)
"""Options in the sources of transformers 4.30 to 5.23, accelerate 1.15, lightning 2, torchmetrics 1, ignite
0.5, fastai 2.8, MMEngine 0.10, Stable-Baselines3 2.9, detectron2 0.6, Megatron-LM 0.12 and torch 2.13."""

OPTION_OF = {option.code: option for option in FRAMEWORK_OPTIONS}
"""The options by what a finding's `hint` holds."""


_BLOCKING_ON_A_CPU_ONLY = (
    # `_BLOCKING_DEVICE_TYPES`: to any other device it moves with `non_blocking=True`.
    (r"(?:lightning/fabric|lightning_fabric)/utilities/apply_func\.py", r"batch_to"),
)
"""Files and functions of frameworks that ask for `non_blocking` as soon as there is a GPU."""


def option_at(
    file: str, function: str | None, ops: Sequence[str], *, is_upload: bool
) -> FrameworkOption | None:
    """The first option for what one of these ops does in a frame; None where none is known.

    The function is None where only the file is known.
    """
    kind: _Kind = "upload" if is_upload else "read"
    file = file.replace("\\", "/")
    return next(
        (
            option
            for option in FRAMEWORK_OPTIONS
            if option.kind == kind
            and (not option.op or option.op in ops)
            and (function is None or re.fullmatch(option.function, function))
            and re.fullmatch(rf"(?:.*/)?{option.file}", file)
        ),
        None,
    )


def written_out_option(rule: str, file: str, function: str) -> FrameworkOption | None:
    """The option for a formula that a framework's function writes out, by its rule; None if none is known."""
    file = file.replace("\\", "/")
    known = (one for one in FRAMEWORK_OPTIONS if one.kind == rule and re.fullmatch(one.function, function))
    return next((one for one in known if re.fullmatch(rf"(?:.*/)?{one.file}", file)), None)


def blocks_on_a_cpu_only(file: str, function: str) -> bool:
    """Whether what this frame moves is waited for on a machine without a GPU, and not on one that has it."""
    file = file.replace("\\", "/")
    return any(
        re.fullmatch(known, function) and re.fullmatch(rf"(?:.*/)?{of}", file)
        for of, known in _BLOCKING_ON_A_CPU_ONLY
    )
