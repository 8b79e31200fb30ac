"""A net of skorch with tbprof's callback.

python examples/frameworks/skorch_net.py logs/skorch
"""

from __future__ import annotations

import sys

import numpy as np
import torch
from skorch import NeuralNetClassifier

from tbprof.integrations.skorch import TbprofCallback

if __name__ == "__main__":
    inputs = np.random.default_rng(0).random((400, 4), dtype=np.float32)
    module = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softmax(dim=-1))
    callback = TbprofCallback(sys.argv[1] if len(sys.argv) > 1 else "logs/skorch")
    net = NeuralNetClassifier(module, max_epochs=2, batch_size=16, callbacks=[callback])
    net.fit(inputs, (inputs.sum(1) > 2).astype(np.int64))
