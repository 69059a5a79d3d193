"""TensorFlow 2 programs: eager steps, tf.function, Keras, tf.distribute, under npu_device.

Rules fire on names that start with ``tf2.``; names of ``compat.v1`` in such programs start with
``tf.`` and have the rules of TensorFlow 1.
"""
