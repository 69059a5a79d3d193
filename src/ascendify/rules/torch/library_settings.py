"""Report values by which a program makes a library compute with CUDA, wherever it sets them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from ascendify.catalog import libraries
from ascendify.catalog.libraries import Setting
from ascendify.rules.kit import (
    Diagnoses,
    Diagnosis,
    Effort,
    File,
    Location,
    Rule,
    Site,
    Status,
    TextSite,
    once,
)
from ascendify.rules.kit.library_imports import is_local
from ascendify.rules.torch import _options
from ascendify.source.flow import backward
from ascendify.source.nodes import defaults, last_name, root, string
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-LIB-2",
    title="Do not let libraries choose CUDA kernels",
    why=(
        "A library that works on NPUs still has options for kernels that exist for GPUs only: "
        "weights in 8 bits, optimizers of bitsandbytes, attention of flash-attn or xformers. The "
        "program stops where the option is read."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before=(
        "model = AutoModelForCausalLM.from_pretrained(\n"
        "    name, load_in_8bit=True, attn_implementation='flash_attention_2'\n"
        ")"
    ),
    framework="torch",
)

_USES = {name: use for use in libraries.uses() for name in use.names}
_VALUE = r"""["']?([\w./-]+)["']?"""
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0", "none", "null")
_SWITCHES = (
    "enable_xformers_memory_efficient_attention",
    "set_use_memory_efficient_attention_xformers",
)
"""Methods of diffusers' pipelines that do what the setting of the first name does."""


@RULE.file
def report_settings(file: File) -> Diagnoses:
    """Look at arguments, keys of dictionaries, defaults of options and fields."""
    words = file.module.words
    if _settings_of_programs().isdisjoint(words):
        return
    text = file.module.source.text
    for name, setting in _settings():
        if name in words and not setting.text_only and setting.may_be_in(text):
            for node, value in _given(file, name, setting):
                yield from _judged(file, node, name, value, setting)


@RULE.reference(*_USES)
def report_use(site: Site) -> Diagnoses:
    """Report functions and classes that need CUDA, once a file."""
    if is_local(site.file, site.name):
        return
    pattern = next(
        name
        for name in _USES
        if site.name == name or (name.endswith("*") and site.name.startswith(name[:-1]))
    )
    use = _USES[pattern]
    lines = once.others(site)
    if lines is not None:
        yield RULE.finding(
            use.status,
            site,
            f"{site.brief} {use.found}{lines}",
            todo=use.todo,
            effort=use.effort,
            cause=pattern,
        )


@RULE.file
def report_switch(file: File) -> Diagnoses:
    """Report methods of diffusers that switch to xformers."""
    setting = next(item for name, item in _settings() if name == _SWITCHES[0])
    for name in _SWITCHES:
        for call in file.module.index.calls_by_name.get(name, ()):
            if isinstance(call.func, ast.Attribute):
                found = f"{file.brief(call.func)} {setting.found}"
                yield _found(setting, file.at(call), found, "Remove the call: attention then goes "
                             "through scaled_dot_product_attention.")  # fmt: skip


@RULE.text("config", "yaml", "shell")
def report_text(site: TextSite) -> Diagnoses:
    """Look at keys of configuration files and at options in scripts."""
    for name, setting in _settings():
        spellings = (name, name.replace("_", "-"))
        if setting.calls or not any(spelling in site.text for spelling in spellings):
            continue
        if not setting.may_be_in(site.text):
            continue
        pattern = _option(name) if site.kind == "shell" else _key(name)
        for match in pattern.finditer(site.text):
            line = site.text[site.text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if "#" in line or not _applies(setting, match[1]):
                continue
            shown = " ".join(match[0].split())
            yield _found(setting, site.at(match.start(), match.end()), f"{shown} {setting.found}")


def _given(file: File, name: str, setting: Setting) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Where a setting gets a value in a file, and that value."""
    for node in file.module.index.of(ast.keyword):
        if node.arg == name and _is_meant(file, node, setting):
            yield node, node.value
    if not setting.calls:
        yield from _keys(file, name)
        yield from _defaults(file, name)


def _keys(file: File, name: str) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Entries of dictionaries: written in one, or assigned."""
    index = file.module.index
    for table in index.of(ast.Dict):
        for key, value in zip(table.keys, table.values):
            if key is not None and string(key) == name:
                yield key, value
    for item in index.of(ast.Subscript):
        owner = parent(item)
        if string(item.slice) == name and isinstance(owner, ast.Assign) and item in owner.targets:
            yield owner, owner.value


def _defaults(file: File, name: str) -> Iterator[tuple[ast.AST, ast.expr]]:
    """Defaults of options, of fields of classes and of parameters."""
    index = file.module.index
    for option in _options.declared(index):
        if name in _option_names(option.call):
            given = option.call.keywords
            yield from ((each, each.value) for each in given if each.arg == "default")
    for field in index.of(ast.AnnAssign):
        if last_name(field.target) == name and field.value is not None:
            yield field, _default(field.value)
    for function in index.functions:
        for argument, default in defaults(function.args):
            if argument.arg == name:
                yield default, default


def _is_meant(file: File, keyword: ast.keyword, setting: Setting) -> bool:
    """Whether a keyword is given to a library, and not to a function of the project."""
    call = parent(keyword)
    if not isinstance(call, ast.Call):
        return False
    if setting.calls:
        called = file.name(call.func) or ""
        return called.partition(".")[0] in setting.calls and not is_local(file, called)
    # what a function of the project is given reaches a library in another call, or is its own
    return not _is_of_project(file, root(call.func))


def _is_of_project(file: File, node: ast.expr) -> bool:
    """Whether a name is a function of the project or a module with some."""
    bindings = backward.bindings(node) if isinstance(node, ast.Name) else []
    return any(
        item.kind == "def"
        or (
            item.kind == "import"
            and file.resolver.project.locate(file.path, item.origin) is not None
        )
        for item in bindings
    )


def _judged(
    file: File, node: ast.AST, name: str, value: ast.expr, setting: Setting
) -> Iterator[Diagnosis]:
    known = file.literal(value)
    if known is None or not known:
        if setting.calls and not setting.values:
            yield _found(setting, file.at(node), f"{file.brief(node)} {setting.found}")
        return
    matching = [item for item in known if setting.applies(item)]
    if not matching:
        return
    shown = file.brief(node)
    if isinstance(node, ast.Constant) and node is not value:
        shown = f"{shown}: {file.brief(value)}"
    elif name not in shown:
        shown = f"{name}={shown}"
    diagnosis = _found(setting, file.at(node), f"{shown} {setting.found}")
    if len(matching) == len(known):
        yield diagnosis
    else:
        yield diagnosis.as_possible()


def _found(setting: Setting, place: Location, found: str, todo: str = "") -> Diagnosis:
    return RULE.finding(
        setting.status,
        place,
        found,
        todo=todo or setting.todo,
        effort=setting.effort if setting.status is Status.MANUAL else Effort.NONE,
        cause=f"{setting.names[0]} {setting.library} {setting.found}",
    )


def _default(value: ast.expr) -> ast.expr:
    """The default of a field of a dataclass: ``field(default=x)`` or the value itself."""
    if isinstance(value, ast.Call):
        for keyword in value.keywords:
            if keyword.arg == "default":
                return keyword.value
    return value


def _option_names(call: ast.Call) -> list[str]:
    texts = (string(item) or "" for item in call.args)
    return [text.lstrip("-").replace("-", "_") for text in texts]


def _applies(setting: Setting, text: str | None) -> bool:
    """Whether a value as text is one that makes the library use CUDA; an option alone is true."""
    if text is None or text.lower() in _TRUE:
        return setting.applies(True)
    if text.lower() in _FALSE:
        return False
    return setting.applies(text)


@cache
def _settings() -> tuple[tuple[str, Setting], ...]:
    return tuple((name, item) for item in libraries.settings() for name in item.names)


@cache
def _settings_of_programs() -> frozenset[str]:
    return frozenset(name for name, setting in _settings() if not setting.text_only)


@cache
def _key(name: str) -> re.Pattern[str]:
    """``name: value``, ``"name": value`` and ``name = value`` of configuration files."""
    return re.compile(rf"""(?<![\w.-])["']?{name}["']?[ \t]*[:=][ \t]*{_VALUE}(?=[\s,}}\])]|$)""")


@cache
def _option(name: str) -> re.Pattern[str]:
    """``--name value``, ``--name=value`` and ``--name`` of commands."""
    spelled = name.replace("_", "[_-]")
    return re.compile(
        rf"(?<!\S)(?:--?|\+\+?)?(?:[\w.]+\.)?{spelled}"
        rf"(?:(?:[ \t]+|=)(?!-){_VALUE})?(?=[\s\\;&|]|$)"
    )
