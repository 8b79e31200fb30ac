"""What one call of an operator computes and moves, by its recorded inputs."""
