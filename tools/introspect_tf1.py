"""Take a snapshot of what an installed TensorFlow 1.15 says about its own API.

Run with a Python that has ``tensorflow==1.15.0``::

    python tools/introspect_tf1.py

It writes ``tools/catalog/introspection-tf1.json.gz``, the one input of ``build_catalog.py`` that
needs TensorFlow. The snapshot only records; every choice (which alias is the name of a thing,
what is worth packaging) is made by ``build_catalog.py``.

Layout of the snapshot: every object that can be reached by a public or private path has a number,
its index in ``objects``; ``public`` and ``private`` map a module path to ``{attribute: number}``.
"""

import gzip
import importlib
import inspect
import json
import logging
import os
import pkgutil
import sys
import types
import warnings
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

import tensorflow as tf  # noqa: E402
from google.protobuf.message import Message  # noqa: E402
from tensorflow.python.util import tf_inspect  # noqa: E402

OUTPUT = Path(__file__).parent / "catalog" / "introspection-tf1.json.gz"

CONTRIB = """
    checkpoint cluster_resolver crf cudnn_rnn data distribute distributions eager estimator
    factorization feature_column framework image layers learn legacy_seq2seq lookup losses
    memory_stats metrics mixed_precision model_pruning nn opt optimizer_v2 predictor quantize rnn
    saved_model seq2seq signal slim slim.nets solvers sparsemax stateless summary tensorboard tpu
    training util
""".split()  # noqa: SIM905  forty quoted words would be harder to read
"""The contrib packages that training scripts import."""

PRIVATE_ROOTS = ("tensorflow.python", "tensorflow.core", "tensorflow.contrib")
FOREIGN_ROOTS = ("tensorflow_estimator.python",)
SKIPPED_PARTS = """
    _api api autograph bayesflow bigtable boosted_trees debug examples ffmpeg fused_conv gan gdr
    graph_editor grid_rnn hadoop ignite kafka kernel_tests kinesis labeled_tensor mpi_collectives
    quantization receptive_field specs standard_ops tensor_forest tensorrt test_util testing tests
    timeseries tools verbs
""".split()  # noqa: SIM905
"""Parts of module paths that no training script imports; some of them do not even load."""

PLAIN = (bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type(None))
"""Values without identity: two of them being the same object says nothing."""


def is_module(obj):
    """Whether the object is a module, or TensorFlow's wrapper around one."""
    return isinstance(obj, types.ModuleType)


def members(module):
    """The public attributes of a module that can be read, sorted by name."""
    found = {}
    for name in sorted(dir(module)):
        if not name.startswith("_"):
            try:
                found[name] = getattr(module, name)
            except (AttributeError, ImportError, RuntimeError):
                continue  # lazy attributes of modules that are not installed
    return found


class Registry:
    """Numbers for objects; keeps them alive so that ``id`` stays theirs."""

    def __init__(self):
        self.objects = []
        self._numbers = {}

    def number(self, obj):
        """The object's number, a new one when it was not seen before."""
        if id(obj) not in self._numbers:
            self._numbers[id(obj)] = len(self.objects)
            self.objects.append(obj)
        return self._numbers[id(obj)]

    def known(self, obj):
        """The object's number, None when it was never numbered."""
        return self._numbers.get(id(obj))


def belongs_to_tensorflow(obj):
    """Whether a class or function was defined by TensorFlow (or absl, for flags and logging)."""
    return (getattr(obj, "__module__", None) or "").startswith(("tensorflow", "absl"))


def contrib_package(name):
    """What ``tf.contrib.<name>`` is, which need not be the module of that path."""
    found = getattr(tf.contrib, name, None)
    return importlib.import_module("tensorflow.contrib." + name) if found is None else found


def walk_public(registry):
    """Module path -> {attribute: number} of the documented API: tf.*, compat.v2 and contrib."""
    public = {}

    def record(module, path):
        table = {}
        for name, obj in members(module).items():
            if not is_module(obj) and not isinstance(obj, PLAIN):
                table[name] = registry.number(obj)
        if table:
            public[path] = table

    def walk_api(module, path):
        record(module, path)
        for name, child in members(module).items():
            if is_module(child) and "api" in child.__name__:
                if path == "tf" and name == "contrib":
                    continue
                if path == "tf.compat" and name == "v1":
                    continue
                if "compat" in path and name == "compat":
                    continue
                walk_api(child, path + "." + name)

    def walk_contrib(module, path, depth):
        table = {}
        for name, obj in members(module).items():
            if is_module(obj):
                inner = obj.__name__.replace("tensorflow_core", "tensorflow")
                if depth and ".python." in inner and inner.startswith("tensorflow.contrib."):
                    walk_contrib(obj, path + "." + name, depth - 1)
            elif callable(obj) and belongs_to_tensorflow(obj):
                table[name] = registry.number(obj)
        if table:
            public[path] = table

    walk_api(tf, "tf")
    for path in ("tf.app.flags", "tf.compat.v2.summary"):
        module = tf
        for part in path.split(".")[1:]:
            module = getattr(module, part)
        record(module, path)
    for name in CONTRIB:
        walk_contrib(contrib_package(name), "tf.contrib." + name, 1)
    return public


def load_private_modules():
    """Import every private module a script could import; what does not load cannot be used."""
    for root in PRIVATE_ROOTS + FOREIGN_ROOTS:
        package = importlib.import_module(root)
        for info in pkgutil.walk_packages(package.__path__, root + ".", onerror=lambda _: None):
            parts = info.name.split(".")
            if parts[-1].endswith("_test") or any(part in SKIPPED_PARTS for part in parts):
                continue
            try:
                importlib.import_module(info.name)
            except Exception as error:  # a module may need hardware or packages that are missing
                print(f"not loaded: {info.name} ({error})", file=sys.stderr)


def walk_private(registry):
    """Module path -> {attribute: number} for objects that also have a public name."""
    load_private_modules()
    private = {}
    for name in sorted(sys.modules):
        module = sys.modules[name]
        path = name.replace("tensorflow_core", "tensorflow", 1)
        if not path.startswith(PRIVATE_ROOTS + FOREIGN_ROOTS) or module is None:
            continue
        if path == "tensorflow.python" or any(part in SKIPPED_PARTS for part in path.split(".")):
            continue
        table = {}
        for attribute, obj in sorted(vars(module).items()):
            if not attribute.startswith("_") and not is_module(obj):
                number = registry.known(obj)
                if number is not None:
                    table[attribute] = number
        if table:
            private[path] = table
    return private


def default_text(value, registry):
    """A default value as people would write it; objects without a literal are named or elided."""
    if isinstance(value, (list, tuple)) and len(value) <= 4:
        inner = ", ".join(default_text(item, registry) for item in value)
        if isinstance(value, list):
            return "[" + inner + "]"
        return "(" + inner + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, PLAIN):
        text = repr(value)
        return text if len(text) <= 40 else "..."
    number = registry.known(value)
    return "..." if number is None else f"@{number}"


def parameters(spec, registry, skip):
    """Parameter texts of a full argument specification: ``x``, ``x=1``, ``*a``, ``~k=2``, ``**k``.

    A leading ``~`` marks keyword-only parameters.
    """
    defaults = spec.defaults or ()
    plain = len(spec.args) - len(defaults)
    texts = []
    for index, name in enumerate(spec.args):
        if index < plain:
            texts.append(name)
        else:
            texts.append(name + "=" + default_text(defaults[index - plain], registry))
    texts = texts[skip:]
    if spec.varargs:
        texts.append("*" + spec.varargs)
    for name in spec.kwonlyargs:
        if spec.kwonlydefaults and name in spec.kwonlydefaults:
            texts.append(f"~{name}={default_text(spec.kwonlydefaults[name], registry)}")
        else:
            texts.append("~" + name)
    if spec.varkw:
        texts.append("**" + spec.varkw)
    return texts


def full_spec(function):
    """The argument specification behind TensorFlow's decorators, None when there is none."""
    try:
        spec = tf_inspect.getfullargspec(function)
        if not spec.args and spec.varargs and spec.varkw:
            # Context managers and other wrappers of the standard library name what they wrap.
            inner = inspect.unwrap(tf_inspect.tf_decorator.unwrap(function)[1])
            spec = tf_inspect.getfullargspec(inner)
        return spec
    except (TypeError, ValueError):
        return None


def call_parameters(function, registry, skip=0):
    """Parameters of a function, None when it has no signature."""
    spec = full_spec(function)
    return None if spec is None else parameters(spec, registry, skip)


def definer(cls, name):
    """Position in the MRO of the class that defines an attribute; a large number when none."""
    for index, base in enumerate(cls.__mro__):
        if name in vars(base) and base is not object:
            return index
    return len(cls.__mro__)


def constructor_parameters(cls, registry):
    """Parameters of a constructor without self: of __init__, or __new__ where that decides."""
    if issubclass(cls, Message):
        return [f"~{field.name}=None" for field in cls.DESCRIPTOR.fields]
    own_init, own_new = definer(cls, "__init__"), definer(cls, "__new__")
    init = call_parameters(cls.__init__, registry, 1) if own_init < len(cls.__mro__) else None
    new = call_parameters(cls.__new__, registry, 1) if own_new < len(cls.__mro__) else None
    if new is not None and (init is None or own_new < own_init or init == ["*args", "**kwargs"]):
        return new
    return init


def class_members(cls, public_bases, registry):
    """Methods with their parameters and the names of other attributes the class itself adds."""
    methods, attributes = {}, []
    for name in sorted(dir(cls)):
        if name.startswith("_") and name not in ("__call__", "__enter__"):
            continue
        raw = inspect.getattr_static(cls, name)
        if any(inspect.getattr_static(base, name, None) is raw for base in public_bases):
            continue
        if isinstance(raw, (staticmethod, classmethod)):
            skip = 0 if isinstance(raw, staticmethod) else 1
            found = call_parameters(raw.__func__, registry, skip)
        elif callable(raw) and not inspect.isclass(raw):
            found = call_parameters(raw, registry, 1)
        else:
            attributes.append(name)
            continue
        if found is not None:
            methods[name] = found
    return methods, attributes


def message_fields(cls, registry):
    """Fields of a protocol buffer that are messages themselves: name -> [number, repeated]."""
    fields = {}
    for field in cls.DESCRIPTOR.fields:
        target = field.message_type
        if target is not None and not target.GetOptions().map_entry:
            inner = getattr(target, "_concrete_class", None)
            if inner is not None:
                fields[field.name] = [registry.number(inner), field.label == field.LABEL_REPEATED]
    return fields


def describe(obj, registry, named):
    """What the snapshot keeps of one object."""
    if inspect.isclass(obj):
        bases = [base for base in obj.__mro__[1:] if registry.known(base) in named]
        entry = {"kind": "class", "name": obj.__name__}
        entry["bases"] = [registry.number(base) for base in bases]
        entry["signature"] = constructor_parameters(obj, registry)
        if issubclass(obj, Message):
            entry["fields"] = message_fields(obj, registry)
            package = obj.DESCRIPTOR.file.package
            entry["path"] = obj.__module__
            entry["qualname"] = obj.DESCRIPTOR.full_name[len(package) + 1 :]
        else:
            entry["methods"], entry["attributes"] = class_members(obj, bases, registry)
        return entry
    if callable(obj):
        signature = call_parameters(obj, registry)
        if not inspect.isroutine(obj) and not hasattr(obj, "__wrapped__"):
            return {"kind": "value", "type": type(obj).__name__, "signature": signature}
        return {"kind": "function", "signature": signature}
    return {"kind": "value", "type": type(obj).__name__}


def main():
    """Write the snapshot."""
    registry = Registry()
    public = walk_public(registry)
    private = walk_private(registry)
    named = set(range(len(registry.objects)))
    objects = []
    # Describing messages numbers the messages of their fields, so the list may grow meanwhile.
    while len(objects) < len(registry.objects):
        objects.append(describe(registry.objects[len(objects)], registry, named))
    snapshot = {
        "tensorflow": tf.__version__,
        "public": public,
        "private": private,
        "objects": objects,
    }
    text = json.dumps(snapshot, sort_keys=True, separators=(",", ":"))
    OUTPUT.parent.mkdir(exist_ok=True)
    with OUTPUT.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode("ascii"))
    print(f"{OUTPUT}: {len(objects)} objects, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
