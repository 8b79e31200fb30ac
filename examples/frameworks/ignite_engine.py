"""An engine of Ignite with tbprof's handler.

python examples/frameworks/ignite_engine.py logs/ignite
"""

from __future__ import annotations

import sys

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from torch.utils.data import DataLoader, TensorDataset

from tbprof.integrations.ignite import TbprofHandler

if __name__ == "__main__":
    model = torch.nn.Linear(16, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(128, 16), torch.randint(2, (128,))), batch_size=4)
    trainer = create_supervised_trainer(model, optimizer, torch.nn.CrossEntropyLoss())
    evaluator = create_supervised_evaluator(model)
    trainer.add_event_handler(Events.ITERATION_COMPLETED(every=8), lambda: evaluator.run(loader))
    TbprofHandler(sys.argv[1] if len(sys.argv) > 1 else "logs/ignite").attach(trainer, evaluator)
    trainer.run(loader, max_epochs=1)
