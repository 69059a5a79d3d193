"""Run many checks in one interpreter, each in a graph of its own."""

import traceback

import numpy as np
from ascendify_runtime.framework import tf
from keras_2 import KERAS, refused

tf.disable_eager_execution()


def run_checks(modules):
    """Print a line for each check that fails, with its last line of traceback, then the number."""
    number = 0
    for module in modules:
        for name, check in sorted(vars(module).items()):
            if not name.startswith("check_"):
                continue
            number += 1
            try:
                with tf.Graph().as_default():
                    tf.set_random_seed(1)
                    check()
            except Exception:
                lines = traceback.format_exc().strip().splitlines()
                print(f"{module.__name__}.{name}: {' | '.join(lines[-6:])}")
    print(f"{number} checks with Keras {KERAS}, {len(refused)} refused")


def evaluate(*tensors):
    """The values of tensors after the variables are initialised."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(list(tensors))


def same(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def same_as_formula(operator, formula, *inputs, tolerance=1e-5):
    """Values and gradients of an operator are those of a plain formula."""
    tensors = [tf.constant(value) for value in inputs]
    results = []
    for function in (operator, formula):
        output = function(*tensors)
        weight = tf.constant(np.random.RandomState(9).rand(*output.shape.as_list()).astype("f"))
        results.append([output, *tf.gradients(output * weight, tensors)])
    for found, expected in zip(*evaluate(*results)):
        same(found, expected, tolerance)


def numbers(*shape, **options):
    """Reproducible float32 numbers around zero."""
    generator = np.random.RandomState(options.get("seed", 3))
    return generator.uniform(-2, 2, shape).astype(np.float32)
