"""An op takes tensors of the host and of the GPU: on a GPU it raises an error.

What
    An op meets a tensor, an index or a random generator of the host beside a tensor of the GPU.
    Preflight alone finds it: a recorded run has got past the line, so that no trace can show it.

Why
    The program works as long as all is on one device, as on a laptop, and stops on a GPU with
    "Expected all tensors to be on the same device".

Example
    before:
        positions = torch.arange(tokens.shape[1])
        hidden = embedding(tokens) + table[positions] * positions[:, None]
    after:
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        hidden = embedding(tokens) + table[positions] * positions[:, None]

Action
    Put both tensors on one device.

Fix
    Make the tensor on the device of the others, with device=, or keep it in a buffer of its module,
    which moves along with it; a generator as `torch.Generator(device=device)`.
    caveat: a tensor that holds a single number may stay on the host, and costs nothing there.

Silent
    Not reported for single numbers on the host, or for tensors whose device was not seen, such as those
    made before preflight began.
"""

from __future__ import annotations

RULE = None
"""No trace can show it: a recorded run has got past the line."""
