"""What only a run without a GPU finds of tensors on two devices (DEV)."""
