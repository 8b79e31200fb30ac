"""The program that runs: its steps, its end, and the processes that it starts."""
