"""How the hook keeps out of the training's way: guards, other profilers, forks, the end of the process."""
