"""Take a snapshot of what an installed PyTorch says about its own API.

Run with a Python that has ``torch==2.13.0``::

    python tools/introspect_torch.py

It writes ``tools/catalog/introspection-torch.json.gz``, the one input of ``build_catalog.py`` that
needs PyTorch. The snapshot only records; every choice (which alias is the name of a thing, what is
worth packaging) is made by ``build_torch.py``.

Layout of the snapshot: every object that can be reached has a number, its index in ``objects``;
``modules`` maps a module path to ``{attribute: number}`` and ``exported`` to the names in its
``__all__``. Kinds are texts in which ``@7`` stands for the class with that number.
"""

from __future__ import annotations

import ast
import collections.abc
import gzip
import importlib
import inspect
import json
import pkgutil
import re
import sys
import types
import typing
import warnings
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")

import torch  # noqa: E402  after the warnings of its parts are silenced

OUTPUT = Path(__file__).parent / "catalog" / "introspection-torch.json.gz"
STUBS = Path(torch.__file__).parent / "_C"

ROOTS = """
    accelerator amp autograd backends compiler cpu cuda distributed distributions export fft
    func futures fx hub jit library linalg multiprocessing nested nn onnx optim overrides profiler
    quasirandom random serialization signal sparse special storage types utils version functional
    return_types
""".split()  # noqa: SIM905  forty quoted words would be harder to read
"""Packages and modules below torch that training scripts use."""
SKIPPED_PARTS = """
    _internal benchmark bottleneck bundled_inputs examples experimental hipify jit_experimental
    model_dump passes testing tests test torch_version_check viz data_sparsifier
""".split()  # noqa: SIM905
"""Parts of module paths that no training script imports."""
PRIVATE = (
    "torch.distributed._composable.fsdp",
    "torch.distributed._composable.replicate",
    "torch.distributed._tensor",
    "torch.distributed._shard.checkpoint",
    "torch.nn.utils._named_member_accessor",
    "torch._tensor",
    "torch._lobpcg",
)
"""Private modules that scripts import from all the same."""
DUNDERS = ("__call__", "__enter__", "__getitem__", "__add__")
"""Special methods whose results inference asks for."""
PLAIN = (bool, int, float, complex, str, bytes, tuple, list, dict, set, frozenset, type(None))
"""Values without identity: two of them being the same object says nothing."""
BUILTIN_KINDS = (bool, int, float, complex, str, bytes, tuple, list, dict, set)
STUB_KINDS = {
    "_int": "int",
    "_bool": "bool",
    "_float": "float",
    "_complex": "complex",
    "_dtype": "dtype",
    "_device": "device",
    "_layout": "layout",
    "_size": "Size",
    "Number": None,
}
"""Names that stubs give to kinds."""


class Registry:
    """Numbers for objects; keeps them alive so that ``id`` stays theirs."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}

    def number(self, obj: Any) -> int:
        """The object's number, a new one when it was not seen before."""
        if id(obj) not in self._numbers:
            self._numbers[id(obj)] = len(self.objects)
            self.objects.append(obj)
        return self._numbers[id(obj)]

    def known(self, obj: Any) -> int | None:
        """The object's number, None when it was never numbered."""
        return self._numbers.get(id(obj))


def belongs(obj: Any) -> bool:
    """Whether PyTorch defines an object; what it only imports has no name of its own there."""
    if isinstance(obj, (torch.dtype, torch.layout, torch.memory_format, torch.device)):
        return True
    home = getattr(obj, "__module__", None) or type(obj).__module__
    own_builtin = inspect.isbuiltin(obj) and type(obj.__self__).__module__.startswith("torch")
    named = isinstance(home, str) and home.split(".")[0] == "torch"
    return named or own_builtin or (inspect.isbuiltin(obj) and "torch" in str(obj.__self__))


def load_modules() -> list[str]:
    """Import every module a script could import; what does not load cannot be used."""
    found = ["torch"]
    for name in ROOTS:
        root = f"torch.{name}"
        package = importlib.import_module(root)
        found.append(root)
        paths = getattr(package, "__path__", None)
        if paths is None:
            continue
        for info in pkgutil.walk_packages(paths, root + ".", onerror=lambda _: None):
            parts = info.name.split(".")
            if any(part.startswith("_") or part in SKIPPED_PARTS for part in parts):
                continue
            try:
                importlib.import_module(info.name)
            except Exception as error:  # a module may need hardware or packages that are missing
                print(f"not loaded: {info.name} ({error})", file=sys.stderr)
                continue
            found.append(info.name)
    for name in PRIVATE:
        importlib.import_module(name)
        found.append(name)
    return list(dict.fromkeys(found))


def walk(registry: Registry) -> tuple[dict[str, dict[str, int]], dict[str, list[str]]]:
    """Module path -> {attribute: number}, and module path -> names in ``__all__``."""
    modules: dict[str, dict[str, int]] = {}
    exported: dict[str, list[str]] = {}
    for path in load_modules():
        module = sys.modules[path]
        names = getattr(module, "__all__", None)
        table = {}
        wanted = set(names or ()) | {name for name in dir(module) if not name.startswith("_")}
        if path == "torch.optim.lr_scheduler":
            wanted.add("_LRScheduler")
        for name in sorted(wanted):
            try:
                obj = getattr(module, name)
            except (AttributeError, ImportError, RuntimeError):
                continue  # lazy attributes of what this build does not have
            if isinstance(obj, (types.ModuleType, *PLAIN)):
                continue
            foreign = path == "torch.multiprocessing" and inspect.isroutine(obj)
            if belongs(obj) or foreign:
                table[name] = registry.number(obj)
        modules[path] = table
        if names is not None:
            exported[path] = sorted(name for name in names if name in table)
    return modules, exported


class Stubs:
    """Functions and classes of the ``.pyi`` files that describe the C++ part."""

    def __init__(self) -> None:
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self.classes: dict[str, dict[str, list[ast.FunctionDef]]] = {}
        self.fields: dict[str, dict[str, ast.expr]] = {}
        for path in ("_VariableFunctions.pyi", "_nn.pyi", "__init__.pyi", "_distributed_c10d.pyi"):
            for node in ast.parse((STUBS / path).read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef):
                    self.functions.setdefault(node.name, []).append(node)
                elif isinstance(node, ast.ClassDef):
                    self._read_class(node)

    def _read_class(self, node: ast.ClassDef) -> None:
        methods = self.classes.setdefault(node.name, {})
        fields = self.fields.setdefault(node.name, {})
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                if any(getattr(mark, "id", "") == "property" for mark in item.decorator_list):
                    if item.returns is not None:
                        fields[item.name] = item.returns
                else:
                    methods.setdefault(item.name, []).append(item)
            elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                fields[item.target.id] = item.annotation


def stub_kind(node: ast.expr | None, registry: Registry) -> str | None:
    """The kind an annotation of a stub means, None when it may be several or is not known."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if isinstance(node, ast.BinOp):
        sides = [side for side in (node.left, node.right) if not _says_none(side)]
        return stub_kind(sides[0], registry) if len(sides) == 1 else None
    if isinstance(node, ast.Subscript):
        return _stub_container(node, registry)
    text = "" if node is None else ast.unparse(node)
    last = text.rpartition(".")[2]
    last = STUB_KINDS.get(last, last) or ""
    if last == "Self":
        return "Self"
    if text.startswith("torch.return_types."):
        return "@" + str(registry.known(getattr(torch.return_types, last)))
    if any(kind.__name__ == last for kind in BUILTIN_KINDS):
        return last
    found = getattr(torch, last, None) or getattr(torch._C, last, None)
    number = registry.known(found) if inspect.isclass(found) else None
    return None if number is None else f"@{number}"


def _says_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _stub_container(node: ast.Subscript, registry: Registry) -> str | None:
    outer = ast.unparse(node.value).rpartition(".")[2].lower()
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if outer == "optional":
        return stub_kind(items[0], registry)
    if outer not in ("tuple", "list"):
        return None
    kinds = [stub_kind(item, registry) for item in items if not _is_ellipsis(item)]
    return container(outer, kinds, len(kinds) < len(items) or outer == "list")


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def container(outer: str, kinds: list[str | None], repeated: bool) -> str:
    """``tuple[@1,int]`` by place, ``tuple[@1,...]`` and ``list[@1]`` for any number of items."""
    if not any(kinds):
        return outer
    listed = ",".join(kind or "?" for kind in kinds)
    return f"{outer}[{listed},...]" if repeated and outer == "tuple" else f"{outer}[{listed}]"


def hint_kind(hint: Any, registry: Registry) -> str | None:
    """The kind an evaluated annotation means."""
    if hint is typing.Self or isinstance(hint, typing.TypeVar):
        return "Self" if hint is typing.Self else None
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        real = [item for item in arguments if item is not type(None)]
        return hint_kind(real[0], registry) if len(real) == 1 else None
    if origin in (tuple, list):
        kinds = [hint_kind(item, registry) for item in arguments if item is not Ellipsis]
        return container(origin.__name__, kinds, origin is list or Ellipsis in arguments)
    if origin in (
        collections.abc.Iterator,
        collections.abc.Iterable,
        collections.abc.Generator,
    ):
        return container("iterator", [hint_kind(arguments[0], registry)], True)
    if hint in BUILTIN_KINDS:
        return str(hint.__name__)
    number = registry.known(hint) if inspect.isclass(hint) else None
    return None if number is None else f"@{number}"


def returned(function: Any, registry: Registry) -> str | None:
    """The kind a Python function says it returns."""
    function = inspect.unwrap(function)
    annotation = getattr(function, "__annotations__", {}).get("return")
    if annotation is None:
        return None
    scope = {**vars(typing), **getattr(function, "__globals__", {})}
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, scope)  # noqa: S307  an annotation of torch itself
        except (NameError, TypeError, AttributeError, SyntaxError, ImportError):
            return None
    if isinstance(annotation, typing.TypeVar):
        first = next(iter(getattr(function, "__annotations__", {}).items()), ("", None))
        same = first[0] == "self" and first[1] in (annotation, annotation.__name__)
        return "Self" if same else None
    kind = hint_kind(annotation, registry)
    if kind is not None and kind.startswith("iterator") and _makes_context(function):
        return None
    return kind


def _makes_context(function: Any) -> bool:
    """Whether a generator function is the inside of a context manager."""
    source = getattr(function, "__code__", None)
    if source is None:
        return False
    try:
        lines = inspect.getsource(function)
    except OSError:
        return False
    return "contextmanager" in lines.partition("def ")[0]


def default_text(value: Any, registry: Registry) -> str:
    """A default value as people would write it; objects without a literal are named or elided."""
    if isinstance(value, (list, tuple)) and len(value) <= 4 and type(value) in (list, tuple):
        inner = ", ".join(default_text(item, registry) for item in value)
        if isinstance(value, list):
            return "[" + inner + "]"
        return "(" + inner + ("," if len(value) == 1 else "") + ")"
    if type(value) in PLAIN:
        text = repr(value)
        return text if len(text) <= 40 else "..."
    number = registry.known(value)
    return "..." if number is None else f"@{number}"


def python_parameters(function: Any, registry: Registry, skip: int = 0) -> list[str] | None:
    """Parameter texts of a Python function: ``x``, ``x=1``, ``*a``, ``~k=2``, ``**k``.

    A leading ``~`` marks keyword-only parameters.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    texts = []
    for item in list(signature.parameters.values())[skip:]:
        mark = {item.VAR_POSITIONAL: "*", item.VAR_KEYWORD: "**", item.KEYWORD_ONLY: "~"}
        text = mark.get(item.kind, "") + item.name
        if item.default is not item.empty:
            text += "=" + default_text(item.default, registry)
        texts.append(text)
    return texts


def stub_parameters(overloads: list[ast.FunctionDef]) -> list[str]:
    """Parameter texts of a function of a stub.

    Of several overloads that with a ``device`` by position counts, then that with ``*sizes``, then
    the longest; keywords that only others have are added.
    """
    read = [_stub_texts(node) for node in overloads]

    def rank(texts: list[str]) -> tuple[bool, bool, int]:
        positional = [text for text in texts if text[0] not in "*~"]
        by_place = any(text.partition("=")[0] == "device" for text in positional)
        return by_place, any(text[0] == "*" for text in texts), len(texts)

    best = max(read, key=rank)
    have = {text.lstrip("*~").partition("=")[0] for text in best}
    for texts in read:
        for text in texts:
            name = text.lstrip("*~").partition("=")[0]
            if text.startswith("~") and name not in have and name != "names":
                have.add(name)
                best = [*best, text]
    return best


def _stub_texts(node: ast.FunctionDef) -> list[str]:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    texts = [_stub_text(item.arg, value) for item, value in zip(positional, defaults, strict=True)]
    if positional and positional[0].arg in ("self", "cls"):
        texts = texts[1:]
    if arguments.vararg is not None:
        texts.append("*" + arguments.vararg.arg)
    for item, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        texts.append("~" + _stub_text(item.arg, value))
    if arguments.kwarg is not None:
        texts.append("**" + arguments.kwarg.arg)
    return texts


def _stub_text(name: str, default: ast.expr | None) -> str:
    return name if default is None else f"{name}={ast.unparse(default)}"


def doc_overload(obj: Any) -> ast.FunctionDef | None:
    """The call that heads the docstring of a C++ function, read as a definition."""
    head = re.match(r"\s*([\w.]+)\((.*?)\)\s*(?:->\s*(.+))?\n", obj.__doc__ or "", re.S)
    if head is None or "\n\n" in head[2]:
        return None
    result = (head[3] or "").strip().split("\n")[0]
    arrow = " -> Tensor" if result == "Tensor" else ""
    if re.fullmatch(r"\((Tensor(, )?)+\)", result):
        arrow = " -> tuple[" + result.strip("()") + "]"
    try:
        node = ast.parse(f"def f({head[2]}){arrow}: ...").body[0]
    except SyntaxError:
        return None
    return node if isinstance(node, ast.FunctionDef) else None


def common_kind(overloads: list[ast.FunctionDef], registry: Registry) -> str | None:
    """The kind all overloads return, None when they differ."""
    kinds = {stub_kind(node.returns, registry) for node in overloads}
    return kinds.pop() if len(kinds) == 1 else None


def callable_facts(obj: Any, stubs: Stubs, registry: Registry) -> dict[str, Any]:
    """Signature and kind of the result of a function."""
    if inspect.isbuiltin(obj) or type(obj).__name__ == "builtin_function_or_method":
        found = stubs.functions.get(obj.__name__)
        if not found:
            documented = doc_overload(obj)
            found = [] if documented is None else [documented]
        if found:
            return {"signature": stub_parameters(found), "returns": common_kind(found, registry)}
        return {"signature": None, "returns": None}
    return {
        "signature": python_parameters(obj, registry),
        "returns": returned(obj, registry) if inspect.isroutine(obj) else None,
    }


def constructor(cls: type, stubs: Stubs, registry: Registry) -> list[str] | None:
    """Parameters of a constructor without self."""
    for base in cls.__mro__:
        stub = stubs.classes.get(base.__name__, {}) if _is_native(base) else {}
        for name in ("__init__", "__new__"):
            if name in vars(base) and inspect.isfunction(vars(base)[name]):
                return python_parameters(vars(base)[name], registry, 1)
            if name in vars(base) and isinstance(vars(base)[name], staticmethod):
                return python_parameters(vars(base)[name].__func__, registry, 1)
            if stub.get(name):
                return stub_parameters(stub[name])
    return []


def _is_native(cls: type) -> bool:
    return cls.__module__ in ("torch", "torch._C", "torch._C._distributed_c10d", "builtins")


def class_facts(cls: type, bases: list[type], stubs: Stubs, registry: Registry) -> dict[str, Any]:
    """Methods with parameters and results, and other attributes, that the class itself adds."""
    methods: dict[str, Any] = {}
    results: dict[str, str] = {}
    kinds: dict[str, str] = {}
    attributes = []
    annotated = {}
    for owner in reversed(cls.__mro__):
        if (owner.__module__ or "").startswith("torch"):
            annotated.update(_field_kinds(owner, stubs, registry))
    for name in sorted({*dir(cls), *annotated}):
        if name.startswith("_") and name not in DUNDERS:
            continue
        raw = inspect.getattr_static(cls, name, None)
        # A base's method written anew is the base's method: rules are declared on the base.
        if any(name in dir(base) for base in bases) and raw is not None and name not in DUNDERS:
            continue
        owner = next((base for base in cls.__mro__ if name in vars(base)), cls)
        found = method_facts(owner, name, raw, stubs, registry)
        if found is None:
            attributes.append(name)
            kind = annotated.get(name)
            if isinstance(raw, property) and raw.fget is not None:
                kind = returned(raw.fget, registry) or kind
            if kind is not None:
                kinds[name] = kind
        else:
            methods[name], kind = found
            if kind is not None:
                results[name] = kind
    if issubclass(cls, torch.nn.Module):
        # Calling a module runs forward, which every layer writes anew.
        forward = inspect.getattr_static(cls, "forward")
        kind = returned(forward, registry) if inspect.isfunction(forward) else None
        results.pop("__call__", None)
        if kind is not None:
            results["__call__"] = kind
    return {"methods": methods, "results": results, "attributes": attributes, "kinds": kinds}


def _field_kinds(owner: type, stubs: Stubs, registry: Registry) -> dict[str, str]:
    """Annotated attributes of one class."""
    found: dict[str, str | None] = {}
    if _is_native(owner):
        for name, annotation in stubs.fields.get(owner.__name__, {}).items():
            found[name] = stub_kind(annotation, registry)
    else:
        scope = vars(sys.modules.get(owner.__module__, torch))
        for name, annotation in vars(owner).get("__annotations__", {}).items():
            if isinstance(annotation, str):
                try:
                    annotation = eval(annotation, {**scope})  # noqa: PLW2901, S307
                except (NameError, TypeError, AttributeError, SyntaxError, ImportError):
                    continue
            found[name] = hint_kind(annotation, registry)
    return {name: kind for name, kind in found.items() if kind and not name.startswith("_")}


def method_facts(
    owner: type, name: str, raw: Any, stubs: Stubs, registry: Registry
) -> tuple[list[str] | None, str | None] | None:
    """Parameters and result of a method, None when the attribute is not one."""
    if isinstance(raw, (staticmethod, classmethod)):
        skip = 0 if isinstance(raw, staticmethod) else 1
        inner = raw.__func__
        return python_parameters(inner, registry, skip), returned(inner, registry)
    if inspect.isfunction(raw):
        return python_parameters(raw, registry, 1), returned(raw, registry)
    overloads = stubs.classes.get(owner.__name__, {}).get(name)
    if overloads and _is_native(owner):
        return stub_parameters(overloads), common_kind(overloads, registry)
    if callable(raw) and not inspect.isclass(raw):
        documented = doc_overload(raw)
        if documented is not None:
            return stub_parameters([documented]), common_kind([documented], registry)
        return None if raw is None else ([], None)
    return None


def describe(obj: Any, named: set[int], stubs: Stubs, registry: Registry) -> dict[str, Any]:
    """What the snapshot keeps of one object, and the module it says it comes from."""
    home = getattr(obj, "__module__", None)
    return {**facts(obj, named, stubs, registry), "home": home if isinstance(home, str) else ""}


def facts(obj: Any, named: set[int], stubs: Stubs, registry: Registry) -> dict[str, Any]:
    """What is known of a class, a function or another object."""
    if inspect.isclass(obj):
        bases = [base for base in obj.__mro__[1:] if registry.known(base) in named]
        entry: dict[str, Any] = {"kind": "class", "name": obj.__name__}
        entry["bases"] = [registry.number(base) for base in bases]
        entry["signature"] = constructor(obj, stubs, registry)
        entry.update(class_facts(obj, bases, stubs, registry))
        return entry
    if callable(obj):
        found = callable_facts(obj, stubs, registry)
        return {"kind": "function", "name": getattr(obj, "__name__", ""), **found}
    number = registry.known(type(obj))
    return {"kind": "value", "type": type(obj).__name__ if number is None else f"@{number}"}


def main() -> None:
    """Write the snapshot."""
    registry = Registry()
    modules, exported = walk(registry)
    named = set(range(len(registry.objects)))
    stubs = Stubs()
    objects = [describe(obj, named, stubs, registry) for obj in list(registry.objects)]
    snapshot = {
        "torch": torch.__version__.partition("+")[0],
        "modules": modules,
        "exported": exported,
        "objects": objects,
    }
    text = json.dumps(snapshot, sort_keys=True, separators=(",", ":"))
    OUTPUT.parent.mkdir(exist_ok=True)
    with OUTPUT.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode("ascii"))
    print(f"{OUTPUT}: {len(objects)} objects, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
