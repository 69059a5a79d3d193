"""Which code belongs to the host's input pipeline: functions handed to datasets, what they call."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from ascendify.rules.kit import CallSite, Diagnosis, File, Status
from ascendify.source.flow import reaching
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value, receiver, values_given
from ascendify.source.scopes import FunctionNode, ancestors, parent, scope_of
from ascendify.source.values import UNKNOWN, Class, Function, Object, Partial, Value

_METHODS = frozenset(
    {
        "map", "flat_map", "interleave", "filter", "from_generator",
        "map_with_legacy_function", "filter_with_legacy_function",
    }
)  # fmt: skip
"""Dataset methods that take a function; on an unknown receiver they are host code all the same."""

_FUNCTIONS = frozenset(
    {
        "apply", "reduce", "map_and_batch", "map_and_batch_with_legacy_function",
        "parallel_interleave", "sloppy_interleave", "group_by_window", "group_by_reducer",
        "bucket_by_sequence_length", "scan", "take_while", "rejection_resample",
        "py_func", "py_function", "numpy_function",
    }
)  # fmt: skip
"""Others that run a function on the host, where the name resolves to one of TensorFlow's."""

_TENSORFLOW = ("tf.data.", "tf.contrib.data.", "tf.compat.v2.data.", "tf.py_", "tf.numpy_function")
_LIKELY_HOST = re.compile(r"pre_?process|parse|decode|augment|distort|read_|_read|reader", re.I)
_USES_DATASETS = re.compile(
    r"\btf\.data\b|\bcontrib\.data\b|\bdata\.\w*Dataset\b|\bTFRecordDataset\b|\bfrom_tensor_slices\b"
)
_MAX_DEPTH = 6

Handler = Callable[[CallSite], Iterable[Diagnosis]]

_handed: WeakKeyDictionary[Module, frozenset[ast.AST]] = WeakKeyDictionary()


def runs_on_host(file: File, node: ast.AST) -> bool:
    """Whether a node stands in a function that only the input pipeline runs.

    Such a function is handed to ``Dataset.map``, ``filter``, ``flat_map``, ``interleave``,
    ``from_generator`` and their like (by name, as a lambda or through ``functools.partial``, in any
    file of the project), or is called by such functions only.
    """
    return _on_host(file.resolver, file.module, node, frozenset())


def may_run_on_host(file: File, node: ast.AST) -> bool:
    """Whether a node stands in a file or function that is named like preprocessing."""
    names = [getattr(item, "name", "") for item in enclosing_functions(node)]
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    return any(_LIKELY_HOST.search(name) for name in (stem, *names))


def outside_tests(handler: Handler) -> Handler:
    """A handler that passes over test cases: they check small pieces and train nothing."""

    @functools.wraps(handler)
    def guarded(site: CallSite) -> Iterable[Diagnosis]:
        return () if in_test(site.file, site.node) else handler(site)

    return guarded


def in_test(file: File, node: ast.AST) -> bool:
    """Whether a node stands in a test case or in a file that holds test cases."""
    stem = file.path.rpartition("/")[2].rpartition(".")[0]
    if stem.startswith("test_") or stem.endswith(("_test", "_tests")):
        text = file.module.source.text
        return any(word in text for word in ("TestCase", "pytest", "unittest", "absltest"))
    return any(
        isinstance(ancestor, ast.ClassDef) and _is_test_case(file, ancestor)
        for ancestor in ancestors(node)
    )


def _is_test_case(file: File, cls: ast.ClassDef) -> bool:
    bases = file.resolver.external_bases(Class(file.module, cls))
    return any(base.endswith("TestCase") for base in bases)


def as_possible(diagnosis: Diagnosis) -> Diagnosis:
    """The same diagnosis as a question: what it is about could not be told for certain.

    What only may be in the way blocks nothing: a person looks and decides.
    """
    finding = replace(diagnosis.finding, possible=True)
    if finding.status is Status.BLOCKER:
        finding = replace(finding, status=Status.MANUAL)
    return Diagnosis(finding, diagnosis.fix)


def uses_datasets(file: File) -> bool:
    """Whether a file, or one that it imports or is imported by, works with ``tf.data``."""
    project = file.resolver.project
    text = file.module.source.text
    imported = (project.module(path) for path in project.imports(file.path, text))
    around = (file.module, *imported, *project.importers(file.path))
    return any(item and _USES_DATASETS.search(item.source.text) for item in around)


def enclosing_functions(node: ast.AST) -> Iterator[FunctionNode]:
    """The functions and lambdas around a node, the innermost first."""
    for ancestor in ancestors(node):
        if isinstance(ancestor, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield ancestor


def chain(node: ast.expr) -> Iterator[ast.Call]:
    """The calls a dataset was made by, last first: down the receivers and through variables.

    A variable is followed only where exactly one assignment reaches its use.
    """
    seen: set[ast.AST] = set()
    current: ast.expr | None = node
    while current is not None and current not in seen:
        seen.add(current)
        if isinstance(current, ast.Call):
            yield current
            current = receiver(current)
        elif isinstance(current, ast.Name):
            current = only_value(current)
        else:
            current = None


def only_value(name: ast.Name) -> ast.expr | None:
    """What a variable was given, where exactly one assignment reaches its use."""
    scope = scope_of(name)
    owner = scope.find(name.id)
    if owner is None:
        return None
    bindings = reaching(name, owner.bindings[name.id], owner, scope)
    if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path:
        return bindings[0].value
    return None


def given_by_callers(
    resolver: Resolver, module: Module, function: FunctionNode, parameter: str
) -> list[Value]:
    """What the visible calls of a function give for a parameter; empty when nobody calls it."""
    arguments = function.args
    positional = [item.arg for item in (*arguments.posonlyargs, *arguments.args)]
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults)))
    found: list[Value] = []
    for caller, call, bound in resolver.callers(Function(module, function)):
        number = positional.index(parameter) - bound if parameter in positional else -1
        given = keyword_value(call, parameter)
        starred = any(isinstance(item, ast.Starred) for item in call.args[: number + 1])
        if given is None and 0 <= number < len(call.args) and not starred:
            given = call.args[number]
        if given is not None:
            found.extend(resolver.infer(caller, given))
        elif parameter in defaults and not starred:
            found.extend(resolver.infer(module, defaults[parameter]))
        else:
            found.append(UNKNOWN)
    return found


def spelled(file: File, call: ast.Call) -> str:
    """How to name a call to the user: ``dataset.batch``, or ``batch()`` at the end of a chain."""
    func = call.func
    if isinstance(func, ast.Attribute) and any(
        isinstance(part, ast.Call) for part in ast.walk(func.value)
    ):
        return f"{func.attr}()"
    return file.brief(func)


def dataset_name(file: File, call: ast.Call) -> str:
    """The user's variable that holds the dataset of a call, ``dataset`` when it has none."""
    owner = parent(call)
    applied = isinstance(owner, ast.Call) and getattr(owner.func, "attr", "") == "apply"
    current: ast.expr = owner if applied and isinstance(owner, ast.Call) else call
    while isinstance(current, (ast.Call, ast.Attribute)):
        current = current.func if isinstance(current, ast.Call) else current.value
    if isinstance(current, ast.Name) and current.id != "self" and not file.names(current)[0]:
        return current.id
    return "dataset"


def _on_host(resolver: Resolver, module: Module, node: ast.AST, seen: frozenset[ast.AST]) -> bool:
    return any(
        _is_host_function(resolver, module, function, seen)
        for function in enclosing_functions(node)
    )


def _is_host_function(
    resolver: Resolver, module: Module, function: FunctionNode, seen: frozenset[ast.AST]
) -> bool:
    if function in seen or len(seen) > _MAX_DEPTH:
        return False
    if any(function in _handed_over(resolver, item) for item in _readers(resolver, module)):
        return True
    callers = resolver.callers(Function(module, function))
    return bool(callers) and all(
        _on_host(resolver, caller, call, seen | {function}) for caller, call, _ in callers
    )


def _readers(resolver: Resolver, module: Module) -> Iterator[Module]:
    """The module and those that may use its functions, also through a package's ``__init__``."""
    yield module
    for importer in resolver.project.importers(module.path):
        yield importer
        if importer.path.endswith("__init__.py"):
            yield from resolver.project.importers(importer.path)


def _handed_over(resolver: Resolver, module: Module) -> frozenset[ast.AST]:
    """Functions that calls of this module give to the input pipeline."""
    found = _handed.get(module)
    if found is None:
        found = _handed[module] = frozenset(_functions_given(resolver, module))
    return found


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
                        yield from _call_method(value.cls)


def _is_of_pipeline(resolver: Resolver, module: Module, call: ast.Call, last: str) -> bool:
    names, _ = resolver.names(module, call.func)
    if not names:
        return last in _METHODS and isinstance(call.func, ast.Attribute)
    return any(name.startswith(_TENSORFLOW) for name in names)


def _call_method(cls: Class) -> Iterator[ast.AST]:
    for item in cls.node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__call__":
            yield item
