"""Compare the importable API with its description; prints one difference a line."""

import ast
import importlib
import inspect
import json
import sys
from pathlib import Path


def main(path):
    surface = json.loads(Path(path).read_text(encoding="utf-8"))
    modules = {}
    for name in surface["modules"]:
        try:
            modules[name] = importlib.import_module(name)
        except Exception as error:
            print(f"{name}: cannot be imported: {type(error).__name__}: {error}")
    for module, names in surface["star_exports"].items():
        for missing in missing_exports(modules.get(module), names):
            print(f"{module}: the star import does not bring {missing}")
    for entry in surface["entries"]:
        if entry["module"] in modules:
            for difference in differences(modules[entry["module"]], entry):
                print("{}.{}: {}".format(entry["module"], entry["name"], difference))
    print(f"compared {len(surface['entries'])} names of {len(modules)} modules")


def missing_exports(module, names):
    if module is None:
        return []
    exported = getattr(module, "__all__", [name for name in vars(module) if name[0] != "_"])
    return [name for name in names if name not in exported]


def differences(module, entry):
    found = module
    for part in entry["name"].split("."):
        if not hasattr(found, part):
            return ["missing"]
        found = getattr(found, part)
    kind = entry["kind"]
    if kind == "class" and not inspect.isclass(found):
        return [f"is {found!r}, expected a class"]
    if kind not in ("class", "value") and not callable(found):
        return [f"is {found!r}, expected a {kind}"]
    if entry["signature"] is None:
        return []
    expected = described(entry["signature"], module)
    actual = [parameters(one) for one in signatures(found, kind)]
    if expected in actual:
        return []
    return [f"takes {shown(actual[0])}, expected {shown(expected)}"]


def signatures(found, kind):
    """The signatures a caller may rely on; a class has its own in one of three places."""
    if kind == "class":
        methods = [bound(getattr(found, name)) for name in ("__init__", "__new__")]
        return [inspect.signature(found), *methods]
    return [bound(found)] if kind == "method" else [inspect.signature(found)]


def bound(function):
    signature = inspect.signature(function)
    without_self = list(signature.parameters.values())[1:]
    return signature.replace(parameters=without_self)


def parameters(signature):
    kinds = {
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
    }
    return [
        (
            kinds.get(one.kind, ""),
            one.name,
            "" if one.default is inspect.Parameter.empty else plain(one.default),
        )
        for one in signature.parameters.values()
    ]


def described(text, module):
    arguments = ast.parse(f"def f{text}: pass").body[0].args
    values = {"tf": framework(), "dtypes": types(), "saver_pb2": saver()}
    values.update(vars(module))

    def default(node):
        code = compile(ast.Expression(node), "<surface>", "eval")
        return plain(eval(code, values))

    positional = [("", one.arg, "") for one in arguments.args]
    for position, node in enumerate(arguments.defaults, len(positional) - len(arguments.defaults)):
        positional[position] = ("", positional[position][1], default(node))
    star = [("*", arguments.vararg.arg, "")] if arguments.vararg else []
    keywords = [
        ("keyword", one.arg, "" if node is None else default(node))
        for one, node in zip(arguments.kwonlyargs, arguments.kw_defaults)
    ]
    stars = [("**", arguments.kwarg.arg, "")] if arguments.kwarg else []
    return positional + star + keywords + stars


def plain(value):
    """Defaults are compared as text: 1 and True, or two equal types, differ in that."""
    return repr(value)


def shown(parameters):
    return "({})".format(
        ", ".join(
            {"*": "*", "**": "**"}.get(kind, "") + name + ("=" + default if default else "")
            for kind, name, default in parameters
        )
    )


def framework():
    from ascendify_runtime.framework import tf

    return tf


def types():
    from tensorflow.python.framework import dtypes

    return dtypes


def saver():
    from tensorflow.core.protobuf import saver_pb2

    return saver_pb2


main(sys.argv[1])
