"""What the columns of tables are called where they have room, and what they hold."""

from __future__ import annotations

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class ColumnText:
    head: str
    about: str = ""


_TEXTS = {
    "name": ColumnText("Name"),
    "shapes": ColumnText("Shapes", "of its tensors"),
    "source": ColumnText("Called in", "the innermost function of your own, with the line of its `def`"),
    "calls": ColumnText("Calls"),
    "host_self_us": ColumnText("Host self", "time on the host without what is recorded inside it"),
    "host_total_us": ColumnText("Host total", "time on the host with everything inside it"),
    "host_mean_us": ColumnText("Host mean", "of a call, with everything inside it"),
    "host_median_us": ColumnText("Host median", "of a call, with everything inside it"),
    "host_p90_us": ColumnText("Host p90", "nine of ten calls take less on the host"),
    "device_self_us": ColumnText("GPU self", "kernels, copies and memsets that it launched itself"),
    "device_total_us": ColumnText("GPU total", "with what operators inside it launched"),
    "device_mean_us": ColumnText("GPU mean", "of a call, with what operators inside it launched"),
    "device_median_us": ColumnText("GPU median", "of a call, with what operators inside it launched"),
    "device_p90_us": ColumnText("GPU p90", "nine of ten calls take less on the GPU"),
    "share": ColumnText("Share", "of the GPU's time; of the host's where no GPU is recorded"),
    "cumulative_share": ColumnText("Sum", "share of this row and all larger ones"),
    "launches": ColumnText("Launches", "calls of its own that gave the GPU work"),
    "flops": ColumnText("FLOPs", "floating-point operations that the shapes require"),
    "bytes": ColumnText("Bytes", "that have to be read and written at least"),
    "covered_us": ColumnText("Covered", "GPU time for which formulas know FLOPs and bytes"),
    "limit_us": ColumnText("Limit", "what the GPU needs for that at its peak rates"),
    "above_limit_us": ColumnText("Above limit", "what it took longer than that"),
    "share_of_limit": ColumnText(
        "Of limit", "how near it comes to the GPU's peak rate, of computing or of memory"
    ),
    "reached_tflops": ColumnText("TFLOP/s"),
    "reached_tb_s": ColumnText("TB/s"),
    "idle_us": ColumnText("GPU idle", "idle of the busiest GPU in the steps while the host was inside"),
    "wait_us": ColumnText("Waits", "of the host for the GPU, in sync points inside"),
    "tensor_cores_eligible": ColumnText("Eligible", "computes what tensor cores can"),
    "tensor_cores_used": ColumnText("Tensor cores", "share of its GPU time in kernels that use them"),
    "short_name": ColumnText("Kernel", "shortened; its whole name is on hover and in the details"),
    "library": ColumnText("Library"),
    "total_us": ColumnText("Total"),
    "mean_us": ColumnText("Mean"),
    "min_us": ColumnText("Min"),
    "max_us": ColumnText("Max"),
    "grid": ColumnText("Grid", "blocks, of the configuration that takes most time"),
    "block": ColumnText("Block", "threads of a block"),
    "registers_per_thread": ColumnText("Registers", "of a thread"),
    "shared_memory_bytes": ColumnText("Shared memory", "of a block"),
    "configurations": ColumnText("Configurations", "different grids, blocks, registers and shared memory"),
    "blocks_per_sm": ColumnText(
        "Blocks per SM", "mean, weighted by time; below 1 multiprocessors are left out"
    ),
    "occupancy": ColumnText("Occupancy, %", "Kineto's estimate, mean weighted by time"),
    "tensor_cores": ColumnText("Tensor cores", "whether its name says that it uses them"),
    "block_sizes": ColumnText("Block sizes", "that torch.compile tuned its Triton kernel to"),
    "compiled_file": ColumnText("Compiled file", "of torch.compile's output, on the machine that recorded"),
    "region": ColumnText("Compiled region", "or CUDA graph, from which most of its time comes"),
    "called_in": ColumnText("Called in", "the function of the model from which most of its time comes"),
    "places": ColumnText("Places", "different regions and functions that launch it"),
    "count": ColumnText("Equal", "layers that stand in one row"),
    "device_us": ColumnText("GPU", "kernels, copies and memsets launched inside, or by its backward pass"),
    "device_forward_us": ColumnText("GPU forward"),
    "device_backward_us": ColumnText("GPU backward"),
    "host_us": ColumnText("Host", "with everything inside"),
    "host_forward_us": ColumnText("Host forward"),
    "host_backward_us": ColumnText("Host backward"),
    "least_us": ColumnText("Least", "of the equal layers"),
    "median_us": ColumnText("Median", "of the equal layers"),
    "most_us": ColumnText("Most", "of the equal layers"),
    "odd": ColumnText("Odd one out", "of the equal layers"),
    "odd_us": ColumnText("It takes"),
    "class": ColumnText("Class"),
    "device": ColumnText("Device"),
    "increase_bytes": ColumnText(
        "Increase", "what it allocated less what it gave back, with operators inside"
    ),
    "self_increase_bytes": ColumnText("Self increase", "the same without the operators inside"),
    "allocations": ColumnText("All blocks", "that it allocated, or operators inside it"),
    "self_allocations": ColumnText("Blocks", "that it allocated itself"),
    "allocated_bytes": ColumnText("Allocated", "with the operators inside, whenever it was given back"),
    "self_allocated_bytes": ColumnText(
        "Self allocated", "without the operators inside, whenever it was given back"
    ),
    "at_peak_bytes": ColumnText("At the peak", "what it allocated itself and was there at the device's peak"),
    "kept_bytes": ColumnText("Kept", "what it allocated itself and was there at the end"),
    "state": ColumnText("State"),
    "calls_before": ColumnText("Calls before"),
    "calls_after": ColumnText("after"),
    "us_before": ColumnText("Time before"),
    "us_after": ColumnText("after"),
    "difference_us": ColumnText("Difference"),
}


def column_text(key: str, head: str) -> ColumnText:
    """Of a column by its key; one without words of its own keeps the head that it has in text."""
    return _TEXTS.get(key) or ColumnText((head or key.removesuffix("_us").replace("_", " ")).capitalize())
