"""A training with all wrong that a CPU can have, or right: `wrong_settings.py FOLDER [--right]`."""

from __future__ import annotations

import os
import sys

IS_RIGHT = "--right" in sys.argv
WRONG = {
    "CUDA_LAUNCH_BLOCKING": "1",
    "NCCL_DEBUG": "INFO",
    "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",
    "OMP_NUM_THREADS": "1",
}
for variable in WRONG:
    if IS_RIGHT:
        os.environ.pop(variable, None)
    else:
        os.environ[variable] = WRONG[variable]

import torch  # noqa: E402 - the settings are read when torch is imported
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

from tbprof import Schedule, TrainerHook  # noqa: E402


class Images(Dataset[torch.Tensor]):
    """Each takes some work to make."""

    def __len__(self) -> int:
        return 800

    def __getitem__(self, index: int) -> torch.Tensor:
        made = torch.rand(3, 32, 32)
        for _ in range(1 if IS_RIGHT else 400):
            made = made.sin()
        return made


@torch.compile(backend="eager", dynamic=False)
def loss_of(out: torch.Tensor) -> torch.Tensor:
    loss = out.square().mean()
    if not IS_RIGHT:
        torch._dynamo.graph_break()
    return loss * 2


def main(folder: str) -> None:
    if not IS_RIGHT:
        sys.setprofile(lambda *_: None)
    torch.use_deterministic_algorithms(not IS_RIGHT)
    torch.autograd.set_detect_anomaly(not IS_RIGHT)
    model = nn.Sequential(nn.Flatten(), *(nn.Linear(3072, 3072) for _ in range(2)), nn.Dropout())
    optimizer = torch.optim.Adam(model.parameters(), foreach=IS_RIGHT)
    loader = DataLoader(Images(), batch_size=8, num_workers=1 if IS_RIGHT else 0)
    with TrainerHook(folder, schedule=Schedule(skip_first=2, warmup=1, active=5)) as hook:
        for at, images in enumerate(loader):
            if at == 20:
                break
            optimizer.zero_grad(set_to_none=IS_RIGHT)
            used = images if IS_RIGHT else images[: 8 - at % 4]
            loss_of(model(used)).backward()
            optimizer.step()
            hook.step()


if __name__ == "__main__":
    main(sys.argv[1])
