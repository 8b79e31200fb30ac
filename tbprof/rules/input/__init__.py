"""Rules about the input pipeline (DAT): the device waits for batches."""
