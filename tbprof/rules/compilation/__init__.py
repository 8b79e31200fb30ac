"""Rules about torch.compile (CMP): what is compiled again, and what breaks a graph."""
