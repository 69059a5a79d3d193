"""Measure the batches of Keras with an additional callback in every list of callbacks."""

import functools
import time

from ascendify_startup import keras_modules
from ascendify_startup.measure import number_in
from ascendify_startup.measure_estimators import watch_evaluation

_BATCH_SIZE = 32
"""The default batch size of ``fit`` for arrays."""


def begin(meter, name):
    """Watch one module of Keras that has just been imported."""
    keras_modules.add_callback(name, lambda base: _make_callback(meter, base))
    for cls in keras_modules.models(name):
        for method, watch in (
            ("fit", _fitted),
            ("train_on_batch", _trained),
            ("evaluate", _evaluated),
            ("evaluate_generator", _evaluated),
        ):
            if method in cls.__dict__:
                setattr(cls, method, watch(meter, cls.__dict__[method]))


class _Data(object):
    """Batch size and number of samples of the data of the running ``fit``."""

    batch = None
    total = None

    def samples(self, first, logs):
        """Return the number of samples of the batch after ``first`` batches."""
        size = logs.get("size")
        if isinstance(size, int) and size > 1:  # some releases report 1 for datasets
            return size
        if self.batch and self.total:
            return min(self.batch, self.total - first * self.batch)
        return self.batch


def _make_callback(meter, base):
    class Measure(base):
        """Callback that measures batches and epochs; most losses are not read from the device."""

        _supports_tf_logs = True

        def on_train_begin(self, logs=None):
            meter.fitting += 1

        def on_train_end(self, logs=None):
            meter.fitting -= 1

        def on_epoch_begin(self, epoch, logs=None):
            self._done = 0
            self._epoch = self._tested = time.perf_counter()
            meter.begin()

        def on_train_batch_end(self, batch, logs=None):
            meter.safely(self._batch, batch, logs or {})

        on_batch_end = on_train_batch_end

        def on_test_begin(self, logs=None):
            self._tested = time.perf_counter()

        def on_epoch_end(self, epoch, logs=None):
            meter.safely(self._measure_epoch, logs or {})

        def _batch(self, batch, logs):
            # several at once with steps_per_execution
            count = max(1, batch + 1 - self._done)
            samples = data_of(self.model).samples(self._done, logs)
            self._done = batch + 1
            values = logs if meter.loss_is_due() else {}
            meter.step(None, count, samples, number_in(values, "loss"), number_in(values, "acc"))

        def _measure_epoch(self, logs):
            now = time.perf_counter()
            trained = {key: value for key, value in logs.items() if key[:4] != "val_"}
            tested = {key: value for key, value in logs.items() if key[:4] == "val_"}
            meter.epoch(now - self._epoch, number_in(trained, "loss"), number_in(trained, "acc"))
            if tested:
                seconds = now - self._tested if self._tested > self._epoch else None
                meter.evaluation(seconds, number_in(tested, "loss"), number_in(tested, "acc"))

    return Measure


_KEY = "_ascendify_data"


def data_of(model):
    """Return what is known about the data of a model's ``fit``."""
    return model.__dict__.get(_KEY) or _Data()


def _fitted(meter, method):
    @functools.wraps(method)
    def fit(self, x=None, *args, **kwargs):
        meter.safely(_note_data, self, x, kwargs.get("batch_size", args[1] if args[1:] else None))
        return method(self, x, *args, **kwargs)

    return fit


def _note_data(model, data, batch_size):
    known = _Data()
    spec = getattr(data, "element_spec", None)
    if spec is not None:
        known.batch = _leading(spec)
    elif hasattr(data, "__getitem__") and hasattr(data, "__len__") and _first(data) is None:
        known.batch = getattr(data, "batch_size", None)  # a Sequence
    elif _first(data) is not None:
        known.batch = batch_size or _BATCH_SIZE
        known.total = _leading(data)
    model.__dict__[_KEY] = known


def _trained(meter, method):
    @functools.wraps(method)
    def train_on_batch(self, x, *args, **kwargs):
        outermost = not meter.fitting and not meter.evaluating
        started = time.perf_counter()
        meter.fitting += 1
        try:
            results = method(self, x, *args, **kwargs)
        finally:
            meter.fitting -= 1
        if outermost:
            meter.safely(_measure_batch, meter, started, self, x, results)
        return results

    return train_on_batch


def _measure_batch(meter, started, model, data, results):
    values = _named_results(model, results)
    meter.step(started, 1, _leading(data), number_in(values, "loss"), number_in(values, "acc"))


def _evaluated(meter, method):
    return watch_evaluation(meter, method, _named_results)


def _named_results(model, results):
    if isinstance(results, dict):
        return results
    values = results if isinstance(results, (list, tuple)) else [results]
    names = list(getattr(model, "metrics_names", None) or ["loss"])
    return dict(zip(names, values))


def _first(data):
    """Return the first array of a structure, None if there is none."""
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, (list, tuple)):
        return _first(data[0]) if data else None
    shape = getattr(data, "shape", None)
    return data if shape is not None else None


def _leading(data):
    """Return the first dimension of the first array, None if it is not known."""
    first = _first(data)
    shape = getattr(first, "shape", None)
    if shape is None or getattr(shape, "rank", 1) is None or not len(shape):
        return None
    size = getattr(shape[0], "value", shape[0])
    return None if size is None else int(size)
