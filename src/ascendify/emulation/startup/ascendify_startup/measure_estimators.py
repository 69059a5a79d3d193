"""Measure evaluations of estimators; their training steps are session runs."""

import functools
import time

from ascendify_startup.measure import number_in


def begin(meter):
    """Watch every estimator class that has an evaluation of its own."""
    from tensorflow_estimator.python.estimator import estimator

    for name in ("EstimatorV2", "Estimator"):
        cls = getattr(estimator, name, None)
        if cls is not None and "evaluate" in cls.__dict__:
            cls.evaluate = watch_evaluation(meter, cls.evaluate, lambda _, results: results)


def watch_evaluation(meter, method, named_results):
    """Wrap an evaluation to measure its time, loss and accuracy, unless it is part of another."""

    @functools.wraps(method)
    def evaluate(self, *args, **kwargs):
        outermost = not meter.evaluating and not meter.fitting
        started = time.perf_counter()
        meter.evaluating += 1
        try:
            results = method(self, *args, **kwargs)
        finally:
            meter.evaluating -= 1
        if outermost:
            meter.safely(_measure, meter, started, named_results, self, results)
        return results

    return evaluate


def _measure(meter, started, named_results, owner, results):
    values = named_results(owner, results)
    values = values if isinstance(values, dict) else {}
    seconds = time.perf_counter() - started
    meter.evaluation(seconds, number_in(values, "loss"), number_in(values, "accura", "acc"))
