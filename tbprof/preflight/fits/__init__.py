"""How much memory of a GPU a training would need, by batch size, from a run on the CPU."""
