"""Capture Keras logs: every batch, every epoch, evaluations, and saved weights."""

import functools
import re
import sys

import numpy

from ascendify_startup import keras_modules
from ascendify_startup.capture_summaries import record_checkpoint
from ascendify_startup.final_weights import keep

_IGNORED = ("batch", "size", "lr", "learning_rate")
_LAYER_NUMBER = re.compile(r"_\d+(?=/)")
_ACCURACY = re.compile(r"(?<![^_])acc$")
"""What Keras of TensorFlow 1 calls the accuracy; the others write the word out."""


def begin(recorder, state, name):
    """Watch one module of Keras that has just been imported."""
    keras_modules.add_callback(name, lambda base: _make_callback(recorder, state, base))
    for cls in keras_modules.models(name):
        _watch_model(recorder, state, cls)


def _make_callback(recorder, state, base):
    class Capture(base):
        """Callback that records logs; it must not raise for any contents of the logs."""

        def on_train_begin(self, logs=None):
            state.fitting += 1

        def on_train_end(self, logs=None):
            state.fitting -= 1
            _keep_weights(recorder, self.model)

        def on_train_batch_end(self, batch, logs=None):
            _count_step(recorder)
            _record(recorder, "batch/", logs)

        on_batch_end = on_train_batch_end

        def on_test_batch_end(self, batch, logs=None):
            state.batches["test"] += 1

        def on_epoch_begin(self, epoch, logs=None):
            state.batches.clear()

        def on_epoch_end(self, epoch, logs=None):
            batches = state.evaluated_batches()
            trained = {key: value for key, value in (logs or {}).items() if key[:4] != "val_"}
            tested = {key: value for key, value in (logs or {}).items() if key[:4] == "val_"}
            _record(recorder, "epoch/", trained, epoch + 1)
            _record(recorder, "epoch/", tested, epoch + 1, batches)

    return Capture


def _keep_weights(recorder, model):
    """Write the learned weights, under names that every Keras gives them.

    The numbers of layers differ: the stand-alone Keras begins with 1, and building a layer again
    counts on. Weights that are not learned, such as moving averages, differ between ranks.
    """
    values = {id(weight): value for weight, value in zip(_in_order(model), model.get_weights())}
    kept = {
        "%d %s" % (number, _LAYER_NUMBER.sub("", weight.name)): values[id(weight)]
        for number, weight in enumerate(model.trainable_weights)
    }
    keep(recorder, kept)


def _in_order(model):
    """Return the weights of a model in the order in which it returns their values."""
    stand_alone = any(base.__module__.startswith("keras.") for base in type(model).__mro__)
    if stand_alone and keras_modules.is_native():
        return [weight for layer in model.layers for weight in layer.weights]
    return model.weights


def _count_step(recorder):
    recorder.value("step", "batch", None)


def _record(recorder, prefix, logs, step=None, batches=None):
    whole = True if batches is not None and _takes_any_batch() else None
    for logged in sorted(logs or {}):
        value = logs[logged]
        if logged not in _IGNORED and numpy.ndim(value) == 0:
            key = _ACCURACY.sub("accuracy", logged)
            source = "loss" if prefix == "batch/" and key == "loss" else "keras"
            recorder.value(
                source, prefix + key, float(value), step,
                dtype="float32", batches=batches, whole=whole,
            )  # fmt: skip


def _takes_any_batch():
    """Whether a device takes a smaller last batch: with TensorFlow 2, outside of sessions."""
    tensorflow = sys.modules.get("tensorflow")
    return hasattr(tensorflow, "executing_eagerly") and tensorflow.executing_eagerly()


def _watch_model(recorder, state, cls):
    for name, prefix in (
        ("train_on_batch", "batch/"),
        ("evaluate", "evaluate/"),
        ("evaluate_generator", "evaluate/"),
    ):
        if name in cls.__dict__:
            setattr(cls, name, _recording(recorder, state, cls.__dict__[name], prefix))
    for name in ("save_weights", "save"):
        if name in cls.__dict__:
            setattr(cls, name, _saved(recorder, cls.__dict__[name]))


def _recording(recorder, state, method, prefix):
    """Wrap a method to record its results, unless a loop with callbacks is running."""

    @functools.wraps(method)
    def call(self, *args, **kwargs):
        outermost = not state.fitting and not state.evaluating
        state.evaluating += 1
        try:
            if outermost:
                state.batches.clear()
            results = method(self, *args, **kwargs)
        finally:
            state.evaluating -= 1
        if outermost and prefix == "batch/":
            _count_step(recorder)
            _record(recorder, prefix, _named(self, results))
        elif outermost:
            _record(recorder, prefix, _named(self, results), batches=state.evaluated_batches())
        return results

    return call


def _named(model, results):
    if isinstance(results, dict):
        return results
    values = results if isinstance(results, (list, tuple)) else [results]
    names = list(getattr(model, "metrics_names", None) or ["loss"])
    return dict(zip(names, values))


def _saved(recorder, method):
    @functools.wraps(method)
    def call(self, filepath, *args, **kwargs):
        result = method(self, filepath, *args, **kwargs)
        record_checkpoint(recorder, filepath)
        return result

    return call
