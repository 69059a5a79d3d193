"""Operators of the vector and matrix units.

``npu_aicore_ops.npu_aicore_ops`` is the handle of the operator library.
"""

from ascendify_runtime.framework import tf
from tensorflow.python.framework import dtypes

from npu_bridge.helper import formulas, helper, host

npu_aicore_ops = helper.get_gen_ops()

_DEEPMD = "it is a DeePMD kernel with device-specific layouts of neighbours and tables"


def fast_gelu_v2(x, name=None):
    return formulas.fast_gelu_v2(x, name)


def centralization(x, axes, name=None):
    x = tf.convert_to_tensor(x, name="x")
    return formulas.centralization(x, axes, name)


def prelu(x, weight):
    return formulas.prelu(x, weight)


def dropout_v3(x, keep_prob, noise_shape=None, seed=None, name=None):
    return formulas.dropout(x, keep_prob, noise_shape, seed, name)


def dropout_v4(x, keep_prob, noise_shape=None, seed=None, output_dtype=dtypes.bool, name=None):
    """As :func:`dropout_v3`; ``output_dtype`` is the type of a mask that is not returned."""
    del output_dtype
    return formulas.dropout(x, keep_prob, noise_shape, seed, name)


def lru_cache_v2(index_list, data, cache, tag, is_last_call, pre_route_count, name=None):
    raise host.unavailable(
        "lru_cache_v2", "which of its rows the device evicts and in what order is not documented"
    )


def nonzero(x, transpose=False, output_type=dtypes.int64, name=None):
    """Return the indices of elements that are not zero, one per row, or per column (transpose)."""
    x = tf.convert_to_tensor(x, name="x")
    return formulas.nonzero(x, transpose, output_type, name)


def nonzerowithvalue(x, transpose=False, output_type=dtypes.int64, name=None):
    """Return values, indices and number of the elements of a matrix that are not zero.

    The outputs are as large as if no element were zero, as on the device; the valid part is at
    their beginning, the rest is zero.
    """
    x = tf.convert_to_tensor(x, name="x")
    if x.shape.ndims != 2:
        raise ValueError("nonzerowithvalue takes a matrix, got shape %s" % (x.shape,))
    with tf.name_scope(name, "NonZeroWithValue", [x]):
        places = tf.where(formulas.is_nonzero(x))
        count = tf.shape(places)[0]
        room = tf.size(x) - count
        values = tf.pad(tf.gather_nd(x, places), [[0, room]])
        index = tf.pad(tf.cast(places, output_type), [[0, room], [0, 0]])
        index = tf.reshape(tf.transpose(index) if transpose else index, [-1])
        return values, index, tf.reshape(count, [1])


def layer_norm(
    x, gamma, beta, begin_norm_axis=0, begin_params_axis=0, epsilon=0.0000001, name=None
):
    return list(
        formulas.layer_norm(x, gamma, beta, begin_norm_axis, begin_params_axis, epsilon, name)
    )


def prod_env_mat_a(
    coord,
    types,
    natoms,
    box,
    mesh,
    davg,
    dstd,
    rcut_a=0.0,
    rcut_r=0.0,
    rcut_r_smth=0.0,
    sel_a=None,
    sel_r=None,
    name=None,
):
    raise host.unavailable("prod_env_mat_a", _DEEPMD)


def prodvirialsea(net_deriv, in_deriv, rij, nlist, natoms, n_a_sel=0, n_r_sel=0, name=None):
    raise host.unavailable("prodvirialsea", _DEEPMD)


def prodforcesea(net_deriv, in_deriv, nlist, natoms, n_a_sel=0, n_r_sel=0, name=None):
    raise host.unavailable("prodforcesea", _DEEPMD)


def tabulatefusionsea(table, table_info, em_x, em, last_layer_size=128, name=None):
    raise host.unavailable("tabulatefusionsea", _DEEPMD)


def tabulatefusionseagrad(table, table_info, em_x, em, dy_dem_x, dy_dem, name=None):
    raise host.unavailable("tabulatefusionseagrad", _DEEPMD)


def tabulatefusion(table, table_info, em_x, em, last_layer_size=128, name=None):
    raise host.unavailable("tabulatefusion", _DEEPMD)


def tabulatefusiongrad(table, table_info, em_x, em, dy_dem_x, dy_dem, name=None):
    raise host.unavailable("tabulatefusiongrad", _DEEPMD)
