"""Capture losses and metrics of an unchanged program.

Captured are: the loss an optimizer minimises and scalars fetched by ``Session.run``, the loss of a
``tf.GradientTape``, scalar summaries, evaluation results of estimators, Keras logs, training steps,
checkpoints, and the final weights of a training session. For PyTorch, see
:mod:`ascendify_startup.torch_capture`.
"""

import collections
import os

from ascendify_startup import (
    foreign_modules,
    horovod_stand_in,
    import_hooks,
    keras_modules,
    torch_capture,
    torch_real_gpu,
    training_device,
)
from ascendify_startup.recorder import Recorder


def begin(path):
    """Capture into this file, from the moment the frameworks are imported."""
    recorder = Recorder(path)
    state = CaptureState()
    if os.environ.get("ASCENDIFY_ROOT"):
        foreign_modules.begin(recorder, os.environ["ASCENDIFY_ROOT"])
    import_hooks.after("tensorflow", lambda: _tensorflow(recorder, state))
    import_hooks.after(
        "tensorflow_estimator.python.estimator.estimator", lambda: _estimator(recorder, state)
    )
    import_hooks.after("horovod", lambda: horovod_stand_in.record_use(recorder))
    torch_capture.begin(recorder)
    if os.environ.get("ASCENDIFY_ORIGINAL") != "1":
        training_device.begin(recorder)
    if os.environ.get("ASCENDIFY_REAL_GPU") == "1":
        torch_real_gpu.begin(recorder)
    for name in keras_modules.ALL:
        import_hooks.after(name, lambda name=name: _keras(recorder, state, name))


class CaptureState(object):
    """State that the parts of the capture share."""

    def __init__(self):
        self.evaluating = 0
        """Depth of calls that report their results themselves."""
        self.batches = collections.Counter()
        """How often an evaluation ran each list of fetches; the most frequent one is its step."""
        self.fitting = 0
        """Depth of Keras loops that call back for every batch."""

    def evaluated_batches(self):
        """Return the number of batches of the evaluation that ends here, None if unknown."""
        batches = max(self.batches.values()) if self.batches else None
        self.batches.clear()
        return batches


def _tensorflow(recorder, state):
    import tensorflow

    from ascendify_startup import capture_gradients, capture_sessions, capture_summaries

    if not tensorflow.__version__.startswith("1."):
        from ascendify_startup import capture_eager

        capture_eager.begin(recorder, state)
    capture_gradients.begin()
    capture_sessions.begin(recorder, state)
    capture_summaries.begin(recorder, state)


def _estimator(recorder, state):
    from ascendify_startup import capture_estimators

    capture_estimators.begin(recorder, state)


def _keras(recorder, state, module):
    from ascendify_startup import capture_keras

    capture_keras.begin(recorder, state, module)
