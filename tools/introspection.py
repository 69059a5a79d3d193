"""What an installed TensorFlow says about its own API, for ``introspect_tf1.py`` and its kin.

A snapshot only records; every choice (which alias is the name of a thing, what is worth packaging)
is made by ``build_catalog.py``. Runs with Python 3.7, the newest one TensorFlow 1.15 has.

Layout of a snapshot: every object that can be reached by a public or private path has a number,
its index in ``objects``; ``public`` and ``private`` map a module path to ``{attribute: number}``.
"""

import __future__

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

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")

import tensorflow as tf  # noqa: E402
from google.protobuf.message import Message  # noqa: E402
from tensorflow.python.util import tf_inspect  # noqa: E402

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


def record(registry, public, module, path):
    """Number what a module of the documented API has, below its path."""
    table = {}
    for name, obj in members(module).items():
        if not is_module(obj) and not isinstance(obj, (*PLAIN, __future__._Feature)):
            table[name] = registry.number(obj)
    if table:
        public[path] = table


def walk_api(registry, public, module, path, is_left_out):
    """Record a module of the documented API and those below it that are not left out."""
    record(registry, public, module, path)
    for name, child in members(module).items():
        below = path + "." + name
        if is_module(child) and "api" in child.__name__ and not is_left_out(path, name):
            walk_api(registry, public, child, below, is_left_out)


def load_private_modules(roots, skipped):
    """Import every private module a script could import; what does not load cannot be used.

    ``skipped`` are parts of module paths that no training script imports.
    """
    for root in roots:
        package = importlib.import_module(root)
        for info in pkgutil.walk_packages(package.__path__, root + ".", onerror=lambda _: None):
            parts = info.name.split(".")
            if parts[-1].endswith("_test") or any(part in skipped for part in parts):
                continue
            try:
                importlib.import_module(info.name)
            except Exception as error:  # a module may need hardware or packages that are missing
                print(f"not loaded: {info.name} ({error})", file=sys.stderr)


def walk_private(registry, roots, skipped):
    """Module path -> {attribute: number} for objects that also have a public name."""
    load_private_modules(roots, skipped)
    private = {}
    for name in sorted(sys.modules):
        module = sys.modules[name]
        path = name.replace("tensorflow_core", "tensorflow", 1)
        below = any(path == root or path.startswith(root + ".") for root in roots)
        if not below or module is None:
            continue
        if path == "tensorflow.python" or any(part in skipped for part in path.split(".")):
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


def write(registry, public, private, output):
    """Describe every object that has a number and write the snapshot."""
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
    output.parent.mkdir(exist_ok=True)
    with output.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode("ascii"))
    print(f"{output}: {len(objects)} objects, {output.stat().st_size} bytes")
