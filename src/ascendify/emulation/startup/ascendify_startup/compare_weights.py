"""Compare the saved weights of two runs; a program, run by the interpreter that wrote them.

Usage: ``python -m ascendify_startup.compare_weights ORIGINAL MIGRATED``. Each is a checkpoint of
TensorFlow, a Keras file in HDF5 or a numpy archive. One JSON object is printed: the tensors of each
side with shapes and types, and the differences of the tensors that both have.
"""

import json
import os
import sys

import numpy


def main(paths):
    """Print the comparison."""
    first, second = map(_read_layers if _of_two_kerases(paths) else read, paths)
    shared = sorted(set(first) & set(second))
    report = {
        "original": {name: about(array) for name, array in first.items()},
        "migrated": {name: about(array) for name, array in second.items()},
        "differences": {
            name: difference(first[name], second[name])
            for name in shared
            if first[name].shape == second[name].shape and _is_number(first[name])
        },
    }
    json.dump(report, sys.stdout)


def read(path):
    """Read the arrays of a file, by name."""
    if path.endswith(".npz"):
        with numpy.load(path) as archive:
            return {name.replace("|", "/"): archive[name] for name in archive.files}
    if path.endswith((".h5", ".hdf5", ".keras")):
        return _read_hdf5(path)
    reader = _checkpoint_reader(path)
    names = reader.get_variable_to_shape_map()
    return {name: numpy.asarray(reader.get_tensor(name)) for name in names}


def _checkpoint_reader(path):
    import tensorflow

    if os.path.exists(os.path.join(path, ".index")):
        # It was saved under a name with a slash at its end: the folder is its prefix.
        return tensorflow.compat.v1.train.NewCheckpointReader(os.path.join(path, ""))
    return tensorflow.train.load_checkpoint(path)


def _of_two_kerases(paths):
    """Whether the stand-alone Keras wrote one of two files in HDF5, and TensorFlow's the other."""
    if not all(path.endswith((".h5", ".hdf5")) for path in paths):
        return False
    import h5py

    writers = []
    for path in paths:
        with h5py.File(path, "r") as file:
            weights = file.get("model_weights", file)
            writers.append(_text(weights.attrs.get("keras_version", "")))
    return all(writers) and len({one.endswith("-tf") for one in writers}) == 2


def _read_layers(path):
    """Read the weights of a model by the places of its layers: the two number layers differently.

    What the optimizer keeps is left out, because its variables are others.
    """
    import h5py

    arrays = {}
    with h5py.File(path, "r") as file:
        weights = file.get("model_weights", file)
        for place, layer in enumerate(map(_text, weights.attrs["layer_names"])):
            names = map(_text, weights[layer].attrs["weight_names"])
            for number, name in enumerate(names):
                kind = name.rpartition("/")[2].partition(":")[0]
                arrays["layer %d/%d %s" % (place, number, kind)] = numpy.asarray(
                    weights[layer][name]
                )
    return arrays


def _text(value):
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _read_hdf5(path):
    import h5py

    arrays = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            arrays[name] = numpy.asarray(item)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return arrays


def about(array):
    """Return shape and type of one tensor."""
    # numpy's types of texts contain the length of the longest one, which is no type
    dtype = "string" if array.dtype.kind in "SUO" else str(array.dtype)
    return {"shape": list(array.shape), "dtype": dtype}


def _is_number(array):
    return array.dtype.kind in "fiub"


def difference(first, second):
    """Return the largest difference, and the largest absolute value of the original tensor.

    A difference is compared with the scale of the whole tensor, because single elements may be
    close to zero.
    """
    if first.size == 0:
        return [0.0, 0.0]
    first, second = first.astype("float64"), second.astype("float64")
    if not numpy.array_equal(numpy.isfinite(first), numpy.isfinite(second)):
        return None
    known = numpy.isfinite(first)
    if not known.any():
        return [0.0, 0.0]
    apart = numpy.abs(first[known] - second[known]).max()
    scale = numpy.abs(first[known]).max()
    return [float(apart), float(scale)]


if __name__ == "__main__":
    main(sys.argv[1:])
