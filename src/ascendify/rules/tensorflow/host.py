"""Find code that runs on the host: functions passed to datasets, and what only they call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ascendify.rules.kit import Diagnoses, Diagnosis, File
from ascendify.rules.kit.tests import in_test
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import functions_around, values_given
from ascendify.source.scopes import FunctionNode, scope_of
from ascendify.source.values import Function, Object, Partial

_METHODS = frozenset(
    {
        "map", "flat_map", "interleave", "filter", "from_generator",
        "map_with_legacy_function", "filter_with_legacy_function",
    }
)  # fmt: skip
"""Dataset methods that take a function; counted on objects of unknown type as well."""

_FUNCTIONS = frozenset(
    {
        "apply", "reduce", "map_and_batch", "map_and_batch_with_legacy_function",
        "parallel_interleave", "sloppy_interleave", "group_by_window", "group_by_reducer",
        "bucket_by_sequence_length", "scan", "take_while", "rejection_resample",
        "py_func", "py_function", "numpy_function",
    }
)  # fmt: skip
"""More functions and methods of TensorFlow that run a function on the host."""
_HANDING = _METHODS | _FUNCTIONS

_TENSORFLOW = ("tf.data.", "tf.contrib.data.", "tf.compat.v2.data.", "tf.py_", "tf.numpy_function",
               "tf2.data.", "tf2.py_", "tf2.numpy_function")  # fmt: skip
_LIKELY_HOST = re.compile(r"pre_?process|parse|decode|augment|distort|read_|_read|reader", re.I)
_USES_DATASETS = re.compile(
    r"\btf\.data\b|\bcontrib\.data\b|\bdata\.\w*Dataset\b|\bTFRecordDataset\b|\bfrom_tensor_slices\b"
)
_MAX_DEPTH = 6
_LIKELY = re.compile(
    r"pre_?process|inputs?\b|input_|_input|dataset|data_(loader|provider|util|gen)|reader|decoder"
    r"|record|augment",
    re.I,
)
"""Names of files that hold an input pipeline."""
_LIKELY_FOLDER = re.compile(r"pre_?process|augment|data_(loader|provider|gen)", re.I)
"""Names of folders that hold nothing else."""


def runs_on_host(file: File, node: ast.AST) -> bool:
    """Whether a node stands in a function that only the input pipeline runs.

    Such a function is handed to ``Dataset.map``, ``filter``, ``flat_map``, ``interleave``,
    ``from_generator`` and their like (by name, as a lambda or through ``functools.partial``, in any
    file of the project), or is called by such functions only.
    """
    return _on_host(file.resolver, file.module, node, frozenset())


def may_run_on_host(file: File, node: ast.AST) -> bool:
    """Whether the file or function around a node is named like preprocessing."""
    names = [getattr(item, "name", "") for item in functions_around(node)]
    return any(_LIKELY_HOST.search(name) for name in (file.stem, *names))


def in_network(file: File, node: ast.AST, diagnosis: Diagnosis) -> Diagnoses:
    """The diagnosis where a node is part of the network; a possible one where it may not be.

    Nothing for code that only the input pipeline runs, which stays on the host, nor for tests.
    """
    if in_test(file, node) or runs_on_host(file, node):
        return
    folder, _, name = file.path.rpartition("/")
    likely = _LIKELY.search(name.rpartition(".")[0]) or _LIKELY_FOLDER.search(folder)
    if likely or may_run_on_host(file, node):
        diagnosis = diagnosis.as_possible()
    yield diagnosis


def uses_datasets(file: File) -> bool:
    """Whether a file, or one that it imports or is imported by, works with ``tf.data``."""
    project = file.resolver.project
    around = (file.module, *project.imported(file.module), *project.importers(file.path))
    return any(file.resolver.once(_mentions_datasets, item) for item in around)


def _mentions_datasets(_: Resolver, module: Module) -> bool:
    return _USES_DATASETS.search(module.source.text) is not None


def _on_host(resolver: Resolver, module: Module, node: ast.AST, seen: frozenset[ast.AST]) -> bool:
    return any(
        _is_host_function(resolver, module, function, seen) for function in functions_around(node)
    )


def _is_host_function(
    resolver: Resolver, module: Module, function: FunctionNode, seen: frozenset[ast.AST]
) -> bool:
    if function in seen or len(seen) > _MAX_DEPTH:
        return False
    if any(function in resolver.once(_handed_over, item) for item in _readers(resolver, module)):
        return True
    callers = resolver.callers(Function(module, function))
    return bool(callers) and all(
        _on_host(resolver, caller, call, seen | {function}) for caller, call, _ in callers
    )


def _readers(resolver: Resolver, module: Module) -> Iterator[Module]:
    """The module and those that may pass its functions on, also through an ``__init__``."""
    project = resolver.project
    yield module
    yield from project.importers_calling(module.path, _HANDING)
    for importer in project.importer_paths(module.path):
        if importer.endswith("__init__.py") and project.call_names(importer) is not None:
            yield from project.importers_calling(importer, _HANDING)


def _handed_over(resolver: Resolver, module: Module) -> frozenset[ast.AST]:
    """Functions that calls of this module pass to the input pipeline."""
    return frozenset(_functions_given(resolver, module))


def _functions_given(resolver: Resolver, module: Module) -> Iterator[ast.AST]:
    by_name = module.index.calls_by_name
    for last in (*_METHODS, *_FUNCTIONS):
        for call in by_name.get(last, ()):
            if not _is_of_pipeline(resolver, module, call, last):
                continue
            for given in values_given(call):
                for item in resolver.infer(module, given):
                    value = item.target if isinstance(item, Partial) else item
                    if isinstance(value, Function):
                        yield value.node
                    elif isinstance(value, Object):
                        methods = scope_of(value.cls.node).bindings.get("__call__", ())
                        yield from (binding.node for binding in methods)


def _is_of_pipeline(resolver: Resolver, module: Module, call: ast.Call, last: str) -> bool:
    names, _ = resolver.names(module, call.func)
    if not names:
        return last in _METHODS and isinstance(call.func, ast.Attribute)
    return any(name.startswith(_TENSORFLOW) for name in names)
