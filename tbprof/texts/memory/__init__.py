"""What is said of memory: its peak, who holds it and what stalls its allocator."""
