"""The facts as the figures of a report: of the window, its steps and its sites."""
