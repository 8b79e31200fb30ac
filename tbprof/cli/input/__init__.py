"""What commands read: traces from files and pipes, baselines, predictions."""
