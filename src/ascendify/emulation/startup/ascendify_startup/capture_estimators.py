"""Capture the results of estimators' evaluations; their training steps are session runs."""

import functools
import numbers

import numpy


def begin(recorder, state):
    """Watch every estimator class that has an evaluation of its own."""
    from tensorflow_estimator.python.estimator import estimator

    for name in ("EstimatorV2", "Estimator"):
        cls = getattr(estimator, name, None)
        if cls is not None and "evaluate" in cls.__dict__:
            _watch(recorder, state, cls)


def _watch(recorder, state, cls):
    original = cls.evaluate

    @functools.wraps(original)
    def evaluate(self, *args, **kwargs):
        state.evaluating += 1
        state.batches.clear()
        try:
            results = original(self, *args, **kwargs)
        finally:
            state.evaluating -= 1
        if not state.evaluating and isinstance(results, dict):
            _record(recorder, results, kwargs.get("name"), state.evaluated_batches())
        return results

    cls.evaluate = evaluate


def _record(recorder, results, name, batches):
    prefix = "eval_%s/" % name if name else "eval/"
    step = results.get("global_step")
    for key in sorted(results):
        value = results[key]
        number = isinstance(value, (numbers.Real, numpy.generic)) and numpy.ndim(value) == 0
        if key != "global_step" and number:
            recorder.value("evaluation", prefix + key, float(value), step, batches=batches)
