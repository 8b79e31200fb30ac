"""The ops of the program: their order on a thread, their inputs."""
