"""What lies beside windows and tells of memory: a failed allocation, and a snapshot of torch's allocator."""

from __future__ import annotations

FAILURE = "w.1752215573993169007.out_of_memory.json"
FAILED = {
    "schema": 1,
    "worker": "w",
    "step": 3,
    "device": "GPU 0",
    "message": "CUDA out of memory.",
    "frames": ["/home/ada/train.py:12 main"],
    "asked_bytes": 2_000_000_000,
    "total_bytes": 80_000_000_000,
    "free_bytes": 1_000_000_000,
    "allocated_bytes": 60_000_000_000,
    "reserved_bytes": 75_000_000_000,
    "held": {
        "parameters_bytes": 1_000_000_000,
        "gradients_bytes": 1_000_000_000,
        "optimizer_bytes": 2_000_000_000,
        "other_bytes": 6_000_000_000,
        "largest": [["[1000] float32", 3, 5_000_000_000]],
        "is_whole": True,
    },
}
BLOCKS = [
    {
        "size": 600,
        "state": "active_allocated",
        "frames": [{"filename": "train.py", "line": 7, "name": "main"}],
    },
    {"size": 300, "state": "inactive", "frames": []},
    {"size": 100, "state": "inactive", "frames": []},
]
SNAPSHOT = {"segments": [{"device": 0, "total_size": 1000, "blocks": BLOCKS}], "device_traces": [[]]}
