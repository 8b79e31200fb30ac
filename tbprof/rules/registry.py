"""All rules, in the order in which their findings are listed."""

from __future__ import annotations

from tbprof.rules.base.rule import Rule, RulePage
from tbprof.rules.copies import (
    cpy01_pageable_h2d,
    cpy02_missing_non_blocking,
    cpy03_repeated_constant_upload,
    cpy04_create_on_cpu_then_move,
    cpy05_list_upload,
    cpy06_object_construction_in_step,
    cpy07_many_small_copies,
    cpy08_ping_pong,
    cpy09_non_overlapped_h2d,
    cpy10_unawaited_read,
    cpy11_pin_in_hot_loop,
    cpy12_dtype_upcast_before_copy,
    cpy13_low_bandwidth_copy,
)
from tbprof.rules.devices import dev01_would_raise
from tbprof.rules.input import dat01_loader_starvation, dat02_single_process_loader
from tbprof.rules.launch import lch01_launch_bound, lch02_host_bound
from tbprof.rules.memory import mem02_empty_cache
from tbprof.rules.sync import (
    syn01_scalar_readback,
    syn02_python_control_flow,
    syn03_dynamic_shape_op,
    syn04_tensor_to_host,
    syn05_per_loop_sync,
    syn06_explicit_synchronize,
    syn07_end_of_step_metric_sync,
    syn08_amp_scaler,
    syn09_cross_thread_stall,
    syn10_mask_cluster,
    syn11_launch_blocking,
    syn12_nan_check,
    syn13_unexplained_wait,
)
from tbprof.rules.trace_health import (
    trc01_cold_start,
    trc02_profiler_overhead,
    trc03_trace_health,
    trc04_host_ahead,
)

__all__ = ["PAGES", "RULES"]

RULES: tuple[Rule, ...] = (
    syn01_scalar_readback.RULE,
    syn02_python_control_flow.RULE,
    syn03_dynamic_shape_op.RULE,
    syn04_tensor_to_host.RULE,
    syn05_per_loop_sync.RULE,
    syn06_explicit_synchronize.RULE,
    syn07_end_of_step_metric_sync.RULE,
    syn08_amp_scaler.RULE,
    syn09_cross_thread_stall.RULE,
    syn10_mask_cluster.RULE,
    syn11_launch_blocking.RULE,
    syn12_nan_check.RULE,
    syn13_unexplained_wait.RULE,
    cpy01_pageable_h2d.RULE,
    cpy02_missing_non_blocking.RULE,
    cpy03_repeated_constant_upload.RULE,
    cpy04_create_on_cpu_then_move.RULE,
    cpy05_list_upload.RULE,
    cpy06_object_construction_in_step.RULE,
    cpy07_many_small_copies.RULE,
    cpy08_ping_pong.RULE,
    cpy09_non_overlapped_h2d.RULE,
    cpy10_unawaited_read.RULE,
    cpy11_pin_in_hot_loop.RULE,
    cpy12_dtype_upcast_before_copy.RULE,
    cpy13_low_bandwidth_copy.RULE,
    dat01_loader_starvation.RULE,
    dat02_single_process_loader.RULE,
    lch01_launch_bound.RULE,
    lch02_host_bound.RULE,
    mem02_empty_cache.RULE,
    trc01_cold_start.RULE,
    trc02_profiler_overhead.RULE,
    trc03_trace_health.RULE,
    trc04_host_ahead.RULE,
)

PAGES: tuple[Rule | RulePage, ...] = (*RULES, dev01_would_raise.PAGE)
"""All that can be explained: the rules, and what preflight alone finds."""
