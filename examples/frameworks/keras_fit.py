"""Keras on torch with tbprof's callback.

KERAS_BACKEND=torch python examples/frameworks/keras_fit.py logs/keras
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np

from tbprof.integrations.keras import TbprofCallback

if __name__ == "__main__":
    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    inputs = np.random.default_rng(0).random((160, 4), dtype=np.float32)
    callback = TbprofCallback(sys.argv[1] if len(sys.argv) > 1 else "logs/keras")
    model.fit(inputs, inputs.sum(1, keepdims=True), batch_size=8, epochs=2, verbose=0, callbacks=[callback])
