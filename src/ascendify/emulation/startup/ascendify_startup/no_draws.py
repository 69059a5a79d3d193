"""Neither shuffle datasets nor drop activations, which every device draws for itself.

Several devices then see in every step the samples that one device sees with a batch as large as all
of theirs, so their numbers can be compared with those of one device.
"""

import functools

from ascendify_startup import import_hooks


def begin():
    """Change TensorFlow when it is imported."""
    import_hooks.after("tensorflow", _patch)
    import_hooks.after("tensorflow_estimator", _read_arrays_in_order)


def _patch():
    from tensorflow.python.data.ops import dataset_ops
    from tensorflow.python.ops import nn_ops

    for name in ("DatasetV1", "DatasetV2"):
        dataset = getattr(dataset_ops, name, None)
        if dataset is not None and "shuffle" in vars(dataset):
            dataset.shuffle = _in_order(dataset.shuffle)
    _repeat_in_order()
    nn_ops.dropout_v2 = _keep_all(nn_ops.dropout_v2)


def _in_order(original):
    @functools.wraps(original)
    def shuffle(self, *args, **kwargs):
        return self

    return shuffle


def _repeat_in_order():
    """``shuffle_and_repeat`` makes one dataset that does both."""
    from tensorflow.python.data.experimental.ops import shuffle_ops

    def repeat(dataset, buffer_size, count=None, seed=None):
        return dataset.repeat(count)

    shuffle_ops._ShuffleAndRepeatDataset = repeat


def _keep_all(original):
    """``tf.nn.dropout``, the layers of Keras and cells of recurrent networks all come here."""

    @functools.wraps(original)
    def dropout(x, *args, **kwargs):
        from tensorflow.python.framework import ops

        return ops.convert_to_tensor(x)

    return dropout


def _read_arrays_in_order():
    from tensorflow_estimator.python.estimator.inputs.queues import feeding_functions

    original = feeding_functions._enqueue_data

    @functools.wraps(original)
    def enqueue(data, capacity, shuffle=False, **named):
        return original(data, capacity, shuffle=False, **named)

    feeding_functions._enqueue_data = enqueue
