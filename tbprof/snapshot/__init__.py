"""Snapshots of torch's allocator (`torch.cuda.memory._dump_snapshot`), read without running any of it."""
