"""All rules, in the order in which their findings are listed."""

from __future__ import annotations

from tbprof.rules import (
    cpy01_pageable_h2d,
    dat01_loader_starvation,
    dat02_single_process_loader,
    lch01_launch_bound,
    lch02_host_bound,
    mem02_empty_cache,
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
    trc01_cold_start,
    trc02_profiler_overhead,
    trc03_trace_health,
    trc04_host_ahead,
)
from tbprof.rules.rule import Rule

__all__ = ["RULES"]

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
