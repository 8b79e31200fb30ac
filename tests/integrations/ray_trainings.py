"""Two workers of Ray Train, each with the hook in its loop."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from pathlib import Path

from recordings import tell

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

import ray
from ray.train import RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer

FOLDER = Path(sys.argv[1])


def loop() -> None:
    import ray.train
    import torch

    from tbprof.integrations.ray import worker_hook

    torch.manual_seed(0)
    model = ray.train.torch.prepare_model(torch.nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with worker_hook() as hook:
        for _ in range(24):
            loss = model(torch.ones(2, 4)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            hook.step()
        hook.close(wait_s=60)
    ray.train.report({"loss": loss.item()})


ray.init(num_cpus=2, include_dashboard=False, log_to_driver=True)
trainer = TorchTrainer(
    loop,
    scaling_config=ScalingConfig(num_workers=2),
    run_config=RunConfig(name="run", storage_path=str(FOLDER / "storage")),
)
trainer.fit()
windows = {}
for path in (FOLDER / "storage" / "run" / "tbprof").glob("*.trace.json.gz"):
    facts = json.loads(gzip.decompress(path.read_bytes()))["tbprof"]
    windows[re.findall(r"rank\d", path.name)[0]] = [facts["first_step"], facts["recorded_steps"]]
tell("workers", windows=dict(sorted(windows.items())))
