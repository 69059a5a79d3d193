"""Operators of the matrix unit."""

from ascendify_runtime.framework import tf

from npu_bridge.helper import formulas, host


def deformable_conv2d(
    x,
    filter,
    offsets,
    strides=None,
    pads=None,
    data_format="NHWC",
    dilations=(1, 1, 1, 1),
    groups=1,
    deformable_groups=1,
    modulated=True,
    name=None,
):
    """A convolution whose samples are moved by ``offsets`` and weighted by their mask.

    The channels of ``offsets`` are all horizontal offsets, all vertical ones, then the masks, each
    by deformable group, kernel row and kernel column.
    """
    host.refuse_eager("tf.deformable_conv2d")
    if modulated is not True:
        raise RuntimeError("tf.deformable_conv2d() only supports modulated is True currently")
    if groups != 1:
        raise RuntimeError("tf.deformable_conv2d() only supports groups is 1 currently")
    if strides is None or pads is None:
        raise ValueError("deformable_conv2d needs strides and pads, four numbers each")
    with tf.name_scope(name, "DeformableConv2D", [x, filter, offsets]):
        x, offsets = formulas.floating(x), tf.convert_to_tensor(offsets)
        filter = tf.convert_to_tensor(filter)
        if data_format == "NCHW":
            x, offsets = (tf.transpose(value, [0, 2, 3, 1]) for value in (x, offsets))
        row, column = data_format.index("H"), data_format.index("W")
        result = _deformable(
            x,
            filter,
            tf.cast(offsets, x.dtype),
            (strides[row], strides[column]),
            (pads[0], pads[2]),
            (dilations[row], dilations[column]),
            deformable_groups,
        )
        return tf.transpose(result, [0, 3, 1, 2]) if data_format == "NCHW" else result


def _deformable(x, kernel, offsets, strides, pads, dilations, groups):
    kernel_height, kernel_width, channels, outputs = kernel.shape.as_list()
    batch, height, width = (tf.shape(offsets)[axis] for axis in range(3))
    taps = kernel_height * kernel_width
    split = tf.reshape(offsets, [batch, height, width, 3, groups, taps])
    rows = _grid(height, strides[0], pads[0], x.dtype)[None, :, None, None]
    columns = _grid(width, strides[1], pads[1], x.dtype)[None, None, :, None]
    tap_rows = [float(dilations[0] * r) for r in range(kernel_height) for _ in range(kernel_width)]
    tap_columns = [
        float(dilations[1] * c) for _ in range(kernel_height) for c in range(kernel_width)
    ]
    images = tf.tile(tf.range(batch)[:, None, None, None], tf.stack([1, height, width, taps]))
    parts = []
    for group, part in enumerate(tf.split(x, groups, axis=3)):
        sampled = formulas.bilinear(
            part,
            images,
            rows + tf.constant(tap_rows, x.dtype) + split[:, :, :, 1, group],
            columns + tf.constant(tap_columns, x.dtype) + split[:, :, :, 0, group],
        )
        parts.append(sampled * split[:, :, :, 2, group][..., None])
    patches = tf.reshape(tf.concat(parts, axis=-1), [-1, taps * channels])
    flat = tf.matmul(patches, tf.reshape(kernel, [taps * channels, outputs]))
    result = tf.reshape(flat, tf.stack([batch, height, width, outputs]))
    result.set_shape(offsets.shape[:3].concatenate(outputs))
    return result


def _grid(size, stride, pad, dtype):
    return tf.cast(tf.range(size) * stride - pad, dtype)
