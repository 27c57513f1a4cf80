"""A model of a line, for the published ElasticDLs: a record is x and y, and a file to wait for.

For example: `0.5 3.5 /data/go`. With x = 1 its answer is the sum of slope and intercept.
"""

import os
import sys
import time
from typing import Any

import tensorflow as tf  # type: ignore[import-untyped]


def custom_model() -> Any:
    """One weight and a bias."""
    x = tf.keras.Input(shape=(1,), name="x")
    return tf.keras.Model(x, tf.keras.layers.Dense(1)(x))


def loss(one: Any, other: Any) -> Any:
    """The squared error; 0.1 names the output first, 0.2 the label."""
    return tf.reduce_mean(tf.square(_flat(one) - _flat(other)))


def optimizer() -> Any:
    """Steps that reach the line within a few hundred records."""
    return tf.keras.optimizers.SGD(0.1)


def dataset_fn(dataset: Any, *_: Any) -> Any:
    """Records as x and y, each after waiting for its file."""

    def parse(record: Any) -> Any:
        x, y = tf.py_function(_numbers, [record], [tf.float32, tf.float32])
        return {"x": tf.reshape(x, [1])}, tf.reshape(y, [1])

    return dataset.map(parse)


def eval_metrics_fn(*outputs_and_labels: Any) -> Any:
    """The mean answer; 0.1 asks for the number, 0.2 for a function of labels and outputs."""
    if outputs_and_labels:
        return {"answer": tf.reduce_mean(outputs_and_labels[0])}
    return {"answer": lambda _, outputs: tf.reduce_mean(outputs, axis=-1)}


def _numbers(record: Any) -> Any:
    x, y, *files = record.numpy().decode().split()
    if not all(map(os.path.exists, files)):
        sys.stdout.write(f"waiting for {files[0]}\n")
        sys.stdout.flush()
    while not all(map(os.path.exists, files)):
        time.sleep(0.1)
    return float(x), float(y)


def _flat(numbers: Any) -> Any:
    return tf.reshape(tf.cast(numbers, tf.float32), [-1])
