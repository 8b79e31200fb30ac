"""What a run of W&B or MLflow gets that the training has under way: figures, verdict and page of a window."""
