"""What TensorFlow has had only with Keras 2; since 2.16 our message must say so.

A check that needs it is marked with its name. Where it is gone, the check holds if it ends with
that message. Nothing of the stand-ins decides which kind of release this is.
"""

import contextlib
import sys

import tensorflow

KERAS = 2 if tuple(int(part) for part in tensorflow.__version__.split(".")[:2]) < (2, 16) else 3
ESTIMATOR = "Estimator: it was removed in 2.16"
LAYERS = "tf.layers: Keras 3 left it out"
SESSION = "session for Keras models: Keras 3 left it out"
GRADIENTS = "Keras optimizer that computes gradients: Keras 3 left it out"
refused = []
"""What checks ended with a message about, in their order; empty with Keras 2."""


def message(what):
    """The whole sentence about something that this release lacks."""
    version = tensorflow.__version__
    return f"This TensorFlow ({version}) has no {what}. The nearest release that has it is 2.15."


@contextlib.contextmanager
def needs_keras_2(what):
    """Run a block or a function that is decorated; with Keras 3 it must end with our message."""
    try:
        yield
    except NotImplementedError as error:
        if KERAS == 2 or message(what) not in str(error):
            raise
        refused.append(what)
    else:
        assert KERAS == 2, f"no error says that this release has no {what}"


def error_of(what, kind, text):
    """The error that a row of a table expects: with Keras 3, that something is missing."""
    if KERAS == 2:
        return kind, text
    refused.append(what)
    return NotImplementedError, message(what)


def end_without_keras_2(what, *calls):
    """With Keras 3, check that each call is refused, and end the script; the rest needs it."""
    if KERAS == 2:
        return
    for call in calls:
        needs_keras_2(what)(call)()
    all_hold()
    sys.exit()


def all_hold():
    """Say that all checks hold, and how many of them with a message."""
    print(f"all checks hold with Keras {KERAS}, {len(refused)} refused")
