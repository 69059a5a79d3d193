"""Environment variables of CUDA and NCCL: what an NPU reads instead, and where they are said."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import File
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors, parent, statement

VISIBLE = "CUDA_VISIBLE_DEVICES"
NPU_VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"


@dataclass(frozen=True)
class Counterpart:
    """What takes the place of a variable."""

    name: str
    todo: str = ""
    """What to look at, empty when the new name means the same."""


COUNTERPARTS = {
    "CUDA_LAUNCH_BLOCKING": Counterpart("ASCEND_LAUNCH_BLOCKING"),
    "PYTORCH_CUDA_ALLOC_CONF": Counterpart(
        "PYTORCH_NPU_ALLOC_CONF",
        "It knows max_split_size_mb, garbage_collection_threshold and expandable_segments; take "
        "out any other setting.",
    ),
    "NCCL_SOCKET_IFNAME": Counterpart("HCCL_SOCKET_IFNAME"),
    "TORCH_NCCL_BLOCKING_WAIT": Counterpart("TORCH_HCCL_BLOCKING_WAIT"),
    "TORCH_NCCL_ASYNC_ERROR_HANDLING": Counterpart("TORCH_HCCL_ASYNC_ERROR_HANDLING"),
    "TORCH_NCCL_DESYNC_DEBUG": Counterpart("TORCH_HCCL_DESYNC_DEBUG"),
}
"""Variables that an NPU machine reads under another name."""

_GPU_ONLY = re.compile(
    r"(?:TORCH_)?NCCL_\w+|CUBLAS_WORKSPACE_CONFIG|CUDA_DEVICE_ORDER|CUDA_DEVICE_MAX_CONNECTIONS"
    r"|CUDA_CACHE_\w+|CUDA_MODULE_LOADING|NVIDIA_TF32_OVERRIDE|TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"
    r"|CUDNN_(?!\w*(?:PATH|ROOT|HOME))\w+|NVIDIA_VISIBLE_DEVICES|NVIDIA_DRIVER_CAPABILITIES"
)
_INSTEAD = (
    (
        re.compile(r"NCCL_DEBUG\w*"),
        "To see what collectives do, set HCCL_ENTRY_LOG_ENABLE=1 and ASCEND_GLOBAL_LOG_LEVEL=1.",
    ),
    (
        re.compile(r"(?:TORCH_)?NCCL_(?:TIMEOUT|BLOCKING_WAIT|ASYNC_ERROR_HANDLING)"),
        "Waiting times are HCCL_CONNECT_TIMEOUT and HCCL_EXEC_TIMEOUT, in seconds.",
    ),
    (
        re.compile(r"CUBLAS_WORKSPACE_CONFIG"),
        "For reproducible runs call torch.use_deterministic_algorithms(True) and set "
        "HCCL_DETERMINISTIC=true.",
    ),
)


def is_gpu_only(variable: str) -> bool:
    """Whether nothing on an NPU machine reads a variable, under this name or another."""
    return variable not in COUNTERPARTS and bool(_GPU_ONLY.fullmatch(variable))


def instead(variable: str) -> str:
    """What serves the variable's purpose on an NPU; empty when nothing has to."""
    return next((text for pattern, text in _INSTEAD if pattern.fullmatch(variable)), "")


# --- lists of devices ------------------------------------------------------------------------


def devices(value: str) -> list[int] | None:
    """The device numbers of a list, None when something else stands in it; ``-1`` ends it."""
    found: list[int] = []
    for item in value.split(",") if value.strip() else ():
        if not re.fullmatch(r"\s*-?\d+\s*", item):
            return None
        number = int(item)
        if number < 0:
            break
        found.append(number)
    return found


def ascends(numbers: list[int]) -> bool:
    """Whether an NPU accepts the order of devices."""
    return all(first < second for first, second in zip(numbers, numbers[1:]))


# --- where programs say a variable -----------------------------------------------------------

_SHOWN = re.compile(r"builtins\.print|logging\..*|warnings\.warn")
_SHOWING = frozenset(
    {"add_argument", "info", "warning", "warn", "error", "debug", "print", "log", "format"}
)


@dataclass(frozen=True)
class Mention:
    """A literal that names a variable, alone or in front of ``=`` in a command."""

    node: ast.expr
    variable: str
    whole: bool
    """The literal is the name and nothing else."""


def mentions(file: File, variables: tuple[str, ...]) -> Iterator[Mention]:
    """Literals that name one of these variables; documentation and messages are passed over."""
    text = file.module.source.text
    present = [name for name in variables if name in text]
    if not present:
        return
    for node in file.module.index.of(ast.Constant):
        if not isinstance(node.value, str) or isinstance(parent(node), ast.Expr):
            continue
        for name in present:
            if node.value == name:
                yield Mention(_literal(node), name, True)
            elif re.search(rf"(?<!\w){name}=", node.value) and not _is_shown(file, node):
                yield Mention(_literal(node), name, False)


def renamed(file: File, mention: Mention, name: str) -> str | None:
    """The literal's text with the variable under its new name; None if it is not written so."""
    text = file.text(mention.node)
    pattern = rf"(?<!\w){mention.variable}" + ("(?!\\w)" if mention.whole else "(?==)")
    result, count = re.subn(pattern, name, text)
    return result if count else None


def _literal(node: ast.Constant) -> ast.expr:
    """The whole of an f-string for its pieces, whose places older Pythons do not tell."""
    owner = parent(node)
    return owner if isinstance(owner, ast.JoinedStr) else node


def _is_shown(file: File, node: ast.AST) -> bool:
    """Whether a text is only shown to people."""
    inside = statement(node)
    for item in ancestors(node):
        if item is inside:
            return False
        if isinstance(item, ast.Call):
            name = file.name(item.func) or ""
            last = last_name(item.func)
            return bool(_SHOWN.fullmatch(name)) or last in _SHOWING
    return False
