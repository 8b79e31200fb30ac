"""Rules about the allocator of device memory (MEM)."""
