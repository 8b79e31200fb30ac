"""A model of Keras on torch, with a callback that reads the loss."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np


class Show(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        print(batch, logs["loss"])


model = keras.Sequential([keras.layers.Dense(32, activation="relu"), keras.layers.Dense(2)])
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
x, y = np.random.rand(256, 16).astype("float32"), np.arange(256) % 2
model.fit(x, y, batch_size=8, epochs=1, verbose=0, callbacks=[Show()])
