"""Operators that run on the device's own CPU: embedding tables, random choices, warps.

Operators that only the device's image and text pipeline defines are refused.
"""

import numpy as np
from ascendify_runtime.framework import tf

from npu_bridge.helper import formulas, helper, host
from npu_bridge.npu_cpu.tables import FeatureMap, Tables

gen_npu_cpu_ops = helper.get_gen_ops()

_tables = Tables()
_device_features = FeatureMap()
_host_features = {}

_PIPELINE = "it belongs to the device's text recognition pipeline, whose results are its own"
_ADDRESSES = "it computes with addresses in the devices' memories"
_FILES = "the layout of its files is specific to the device"
_INTERPOLATION = "the device's variant of Intel's interpolation is not documented exactly"


def embedding_hashtable_lookup_or_insert(
    table_handle,
    keys,
    bucket_size,
    embedding_dim,
    filter_mode,
    filter_freq,
    default_key_or_value,
    default_key,
    default_value,
    filter_key_flag,
    filter_key,
):
    """Return the values of ``keys``, one per row; new keys are inserted.

    With ``filter_mode`` "counter" a key must be looked up ``filter_freq`` times before it gets
    its own value; with its flag set, ``filter_key`` never gets one.
    """
    del bucket_size

    def lookup(handle, keys):
        table = _tables.get(int(np.ravel(handle)[0]))
        default = np.full([embedding_dim], default_value, np.float32)
        if default_key_or_value:
            default = table.values[table.slot(int(default_key))]
        rows = []
        for key in np.ravel(keys):
            if filter_key_flag and key == filter_key:
                rows.append(np.full([embedding_dim], default_value, np.float32))
                continue
            slot, times = table.look_up(int(key))
            hidden = filter_mode == "counter" and times < filter_freq
            rows.append(default if hidden else table.values[slot])
        return np.array(rows, np.float32).reshape(-1, embedding_dim)

    return host.call(
        "EmbeddingHashTableLookupOrInsert",
        lookup,
        [tf.cast(table_handle, tf.int64), tf.cast(keys, tf.int64)],
        [tf.float32],
        [[None, embedding_dim]],
    )[0]


def embeddingrankid(addr_tensor, index, row_memory=320, mode="mod"):
    raise host.unavailable("embeddingrankid", _ADDRESSES)


def embedding_local_index(addr_tensor, index, row_memory=320, mode="mod"):
    raise host.unavailable("embedding_local_index", _ADDRESSES)


def randomchoicewithmask(x, count, seed=0, seed2=0):
    """Return ``count`` random indices of true elements of ``x``, and which rows are valid.

    With fewer true elements than ``count`` the last rows are zero. The choice differs from the
    device's; with a seed it is the same in every run.
    """
    generator = np.random.RandomState([seed, seed2] if seed or seed2 else None)
    return _choice("RandomChoiceWithMask", x, count, lambda: generator, [])


def stateless_random_choice_with_mask(x, count, seed, offset):
    """As :func:`randomchoicewithmask`, the same for the same ``seed`` and ``offset``."""

    def generator(seed, offset):
        numbers = [int(np.ravel(part)[0]) % 2**32 for part in (seed, offset)]
        return np.random.RandomState(numbers)

    inputs = [tf.cast(seed, tf.int64), tf.cast(offset, tf.int64)]
    return _choice("StatelessRandomChoiceWithMask", x, count, generator, inputs)


def _choice(kind, x, count, generator, inputs):
    x = tf.convert_to_tensor(x)
    host.require_type(x, "x", ("bool",))
    if count < 0:
        raise ValueError("input count must greater or equal to 0 but instead is %d" % count)

    def choose(x, *seeds):
        places = np.argwhere(x).astype(np.int32)
        places = generator(*seeds).permutation(places)
        wanted = count or len(places)
        places = places[:wanted]
        chosen = np.zeros([wanted, x.ndim], np.int32)
        chosen[: len(places)] = places
        return chosen, np.arange(wanted) < len(places)

    shapes = [[count or None, x.shape.ndims], [count or None]]
    return host.call(kind, choose, [x] + inputs, [tf.int32, tf.bool], shapes)


def dense_image_warp(image, flow, name=None):
    """Return an image whose pixels are ``image`` at their position minus ``flow``.

    Positions outside are moved to the border.
    """
    with tf.name_scope(name, "DenseImageWarp", [image, flow]):
        image, flow = tf.convert_to_tensor(image), tf.convert_to_tensor(flow)
        batch, height, width = (tf.shape(image)[axis] for axis in range(3))
        grid = tf.meshgrid(tf.range(batch), tf.range(height), tf.range(width), indexing="ij")
        places = [
            tf.clip_by_value(
                tf.cast(grid[axis], flow.dtype) - flow[..., axis - 1],
                0.0,
                tf.cast(tf.shape(image)[axis] - 1, flow.dtype),
            )
            for axis in (1, 2)
        ]
        warped = formulas.bilinear(image, grid[0], *places)
        warped.set_shape(image.shape)
        return warped


def stateless_dropout(x, noise_shape, p, seed, offset):
    raise host.unavailable(
        "stateless_dropout", "its random numbers are the device's own; use npu_ops.dropout"
    )


def batch_enqueue(
    x, queue_id=0, batch_size=8, queue_name="", queue_depth=100, pad_mode="REPLICATE"
):
    raise host.unavailable("batch_enqueue", _PIPELINE)


def ocr_recognition_pre_handle(
    imgs_data,
    imgs_offset,
    imgs_size,
    langs,
    langs_score,
    batch_size=8,
    data_format="NHWC",
    pad_mode="REPLICATE",
):
    raise host.unavailable("ocr_recognition_pre_handle", _PIPELINE)


def ocr_detection_pre_handle(img, data_format="NHWC"):
    raise host.unavailable("ocr_detection_pre_handle", _PIPELINE)


def ocr_identify_pre_handle(imgs_data, imgs_offset, imgs_size, size, data_format="NHWC"):
    raise host.unavailable("ocr_identify_pre_handle", _PIPELINE)


def batch_dilate_polys(
    polys_data, polys_offset, polys_size, score, min_border, min_area_thr, score_thr, expand_scale
):
    raise host.unavailable("batch_dilate_polys", _PIPELINE)


def ocr_find_contours(img, value_mode=0):
    raise host.unavailable("ocr_find_contours", _PIPELINE)


def dequeue(queue_id, output_type, output_shape, queue_name=""):
    raise host.unavailable("dequeue", _PIPELINE)


def ocr_detection_post_handle(img, polys_data, polys_offset, polys_size, data_format="NHWC"):
    raise host.unavailable("ocr_detection_post_handle", _PIPELINE)


def warp_affine_v2(
    x,
    matrix,
    dst_size,
    interploation="INTEL_BILINEAR",
    border_type="BORDER_CONSTANT",
    border_value=0,
):
    raise host.unavailable("warp_affine_v2", _INTERPOLATION)


def resize_v2(x, dst_size, interploation="INTEL_BILINEAR"):
    raise host.unavailable("resize_v2", _INTERPOLATION)


def resize_and_clip_polys(polys_data, polys_offset, polys_size, h_scale, w_scale, img_h, img_w):
    raise host.unavailable("resize_and_clip_polys", _PIPELINE)


def non_zero_with_value_shape(value, index, count):
    """Return the valid part of the outputs of nonzerowithvalue with ``transpose``."""
    value, index = tf.convert_to_tensor(value), tf.convert_to_tensor(index)
    number = tf.reshape(count, [-1])[0]
    return value[:number], tf.reshape(index, [2, -1])[:, :number]


def non_zero_with_value_shape_v2(value, index, count):
    return non_zero_with_value_shape(value, index, count)


def host_feature_mapping(feature_id, threshold=1, table_name="default_table_name"):
    """Map each feature seen ``threshold`` times to a small number, the others to -1."""
    features = _host_features.setdefault(table_name, FeatureMap())
    return _mapped("HostFeatureMapping", features, feature_id, threshold, tf.int64)


def device_feature_mapping(feature_id):
    """Map each feature to a small number."""
    return _mapped("EmbeddingFeatureMapping", _device_features, feature_id, 1, tf.int32)


def _mapped(kind, features, feature_id, threshold, dtype):
    feature_id = tf.cast(feature_id, tf.int64)

    def mapped(values):
        return features.map(values, threshold).astype(dtype.as_numpy_dtype)

    return host.call(kind, mapped, [feature_id], [dtype], [feature_id.shape])[0]


def init_embedding_hashmap_v2(table_id, bucket_size, load_factor, embedding_dim, dtype):
    """Make a table and return its handle."""
    del load_factor, dtype

    def create(table_id):
        return np.int64(_tables.create(int(np.ravel(table_id)[0]), bucket_size, embedding_dim))

    inputs = [tf.cast(table_id, tf.int32)]
    return host.call("InitEmbeddingHashmapV2", create, inputs, [tf.int64], [[]])[0]


def deinit_embedding_hashmap_v2(table_id):
    """Return a node that deletes a table."""

    def drop(table_id):
        _tables.drop(int(np.ravel(table_id)[0]))

    return host.effect("DeinitEmbeddingHashmapV2", drop, [tf.cast(table_id, tf.int32)])


def table_to_resource_v2(table_id, bucket_size, load_factor, embedding_dim, dtype):
    """Return the handle of an existing table."""
    del bucket_size, load_factor, embedding_dim, dtype

    def handle(table_id):
        return np.int64(_tables.handle(int(np.ravel(table_id)[0])))

    inputs = [tf.cast(table_id, tf.int32)]
    return host.call("TableToResourceV2", handle, inputs, [tf.int64], [[]])[0]


def embedding_hashmap_table_size_v2(table_ids, filter_export_flag, export_mode):
    """The number of keys in each table."""
    _only_everything("embedding_hashmap_table_size_v2", export_mode, filter_export_flag)

    def sizes(table_ids):
        handles = [_tables.handle(int(one)) for one in np.ravel(table_ids)]
        return np.array([len(_tables.get(handle).slots) for handle in handles], np.int64)

    inputs = [tf.cast(table_ids, tf.int32)]
    return host.call("EmbeddingHashmapSize", sizes, inputs, [tf.int64], [[None]])[0]


def embedding_hashmap_export_v2(
    file_path, table_ids, table_names, global_step, keys, counters, filter_flag, values, num
):
    raise host.unavailable("embedding_hashmap_export_v2", _FILES)


def embedding_hashmap_file_size_v2(file_path, table_ids, table_names, global_step, embedding_dims):
    raise host.unavailable("embedding_hashmap_file_size_v2", _FILES)


def embedding_hashmap_import_v2(
    file_path, table_ids, table_sizes, table_names, global_step, embedding_dims, num
):
    raise host.unavailable("embedding_hashmap_import_v2", _FILES)


def init_embedding_hashtable(
    table_handle, sampled_values, bucket_size, embedding_dim, initializer_mode, constant_value
):
    """Return a node that clears a table and sets the values of new keys: samples or a constant."""
    inputs = [tf.cast(table_handle, tf.int64)]
    if initializer_mode == "random":
        inputs.append(tf.cast(sampled_values, tf.float32))
    elif initializer_mode != "constant":
        raise ValueError(
            "initializer_mode must be 'random' or 'constant', got %r" % (initializer_mode,)
        )

    def initialise(handle, *samples):
        constant = np.full([bucket_size, embedding_dim], constant_value or 0.0, np.float32)
        _tables.get(int(np.ravel(handle)[0])).initialise(samples[0] if samples else constant)

    return host.effect("InitEmbeddingHashTable", initialise, inputs)


def embedding_hash_table_import(
    table_handles, embedding_dims, bucket_sizes, keys, counters, filter_flags, values
):
    """Return a node that writes keys, counters and values, a tensor for each table, to tables."""
    del embedding_dims, bucket_sizes, filter_flags
    keys, counters, values = list(keys), list(counters), list(values)
    number = len(keys)

    def restore(handles, *parts):
        for position, handle in enumerate(np.ravel(handles)):
            mine = (parts[position], parts[number + position], parts[2 * number + position])
            _tables.get(int(handle)).restore(*mine)

    inputs = [tf.cast(table_handles, tf.int64)] + keys + counters + values
    return host.effect("EmbeddingHashTableImport", restore, inputs)


def embedding_hash_table_export(
    table_handles,
    table_sizes,
    embedding_dims,
    bucket_sizes,
    export_mode="all",
    filter_export_flag=False,
):
    """Return lists of keys, counters, filter flags and values, with one tensor for each table."""
    del table_sizes, embedding_dims, bucket_sizes
    _only_everything("embedding_hash_table_export", export_mode, filter_export_flag)
    handles = tf.reshape(tf.cast(table_handles, tf.int64), [-1])
    number = handles.shape.as_list()[0]
    if number is None:
        raise ValueError("the number of table_handles must be known")

    def export(handles):
        tables = [_tables.get(int(handle)).export() for handle in handles]
        keys, counters, values = ([table[part] for table in tables] for part in range(3))
        flags = [np.ones(len(part), np.uint8) for part in keys]
        return keys + counters + flags + [np.ravel(part) for part in values]

    types = [dtype for dtype in (tf.int64, tf.uint64, tf.uint8, tf.float32) for _ in range(number)]
    parts = host.call("EmbeddingHashTableExport", export, [handles], types, [[None]] * len(types))
    return [parts[start : start + number] for start in range(0, 4 * number, number)]


def _only_everything(call, export_mode, filter_export_flag):
    if export_mode != "all" or filter_export_flag:
        raise host.unavailable(
            "%s with export_mode=%r, filter_export_flag=%r"
            % (call, export_mode, filter_export_flag),
            "only the export of everything is documented",
        )


def embedding_hashtable_apply_adam_w(
    table_handle,
    keys,
    m,
    v,
    beta1_power,
    beta2_power,
    lr,
    weight_decay,
    beta1,
    beta2,
    epsilon,
    grad,
    max_grad_norm,
    embedding_dim,
    bucket_size,
    amsgrad,
    maximize,
):
    raise host.unavailable(
        "embedding_hashtable_apply_adam_w", "how its moments follow the keys is not documented"
    )
