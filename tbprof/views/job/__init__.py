"""What is shown of all ranks of a job together."""
