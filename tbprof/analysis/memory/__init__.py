"""What the allocators gave and took back: curves, blocks with their lifetimes, and who allocated them."""
