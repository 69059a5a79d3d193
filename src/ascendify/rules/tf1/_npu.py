"""Text of the NPU's API that rules insert into user code, and recognition of what it made."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from ascendify.catalog.knowledge import STAR_MODULE
from ascendify.rules.kit import Argument, File, Fix
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.tf1 import _npu_entry
from ascendify.rules.tf1._same_process import mentioned
from ascendify.source.flow import backward
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.scopes import Binding, scope_of
from ascendify.source.values import Function

OPTIONS_MODULE = "npu_options"
"""The generated module that holds the NPU options the user requested."""
RANK_ID = "int(os.getenv('RANK_ID', '0'))"
RANK_SIZE = "int(os.getenv('RANK_SIZE', '1'))"
"""Expressions for the rank and the number of ranks, for use in advice."""
PRECISION_MODES = ("precision_mode", "precision_mode_v2")
_INITIALISERS = (
    *(f"horovod.{name}.init" for name in ("tensorflow", "tensorflow.keras", "keras")),
    "npu.init_resource",
    "npu.npu_ops.initialize_system",
)
_HOMES = {
    "NPURunConfig": "npu_bridge.estimator.npu.npu_config",
    "NPUEstimator": "npu_bridge.estimator.npu.npu_estimator",
    "keras_to_npu": "npu_bridge.estimator.npu",
    "hccl_ops": "npu_bridge.hccl",
    **dict.fromkeys(
        ("get_rank_id", "get_rank_size", "get_local_rank_id", "get_local_rank_size"),
        "hccl.manage.api",
    ),
}
"""Modules of the names that npu_bridge.npu_init does not have."""
_DEPTH = 6
"""How many variables, functions and files a config is followed through."""


def use(fix: Fix, name: str) -> str:
    """Import a name of the NPU's API, unless a star import of the file has it already."""
    return fix.use(_HOMES.get(name, STAR_MODULE), name)


def session_config(file: File, fix: Fix) -> tuple[str, str]:
    """Function and leading keyword that turn a session config into one for the NPU.

    Where the user requested NPU options, the generated module's function writes them into it.
    """
    if file.facts.has_options_module:
        return fix.use(OPTIONS_MODULE, "session_config"), ""
    return fix.use("npu_bridge.npu_init", "npu_config_proto"), "config_proto="


def set_session_config(
    file: File, fix: Fix, given: Argument | None, parameter: str, add: Callable[[str], None]
) -> str:
    """Wrap the config of a call for the NPU, or add one; return what was done."""
    function, keyword = session_config(file, fix)
    if given is None:
        add(f"{parameter}={function}()")
        return f"Added {parameter}={function}()."
    if file.literal(given.value) == (None,):
        fix.replace(given.value, f"{function}()")
        return f"Replaced the empty {parameter} by {function}()."
    fix.wrap(given.value, f"{function}({keyword}")
    return f"Wrapped {file.brief(given.value)} in {function}()."


def has_precision_mode(file: File) -> bool:
    """Whether the user requested a precision mode."""
    return any(mode in file.facts.npu_options for mode in PRECISION_MODES)


def iterations_per_loop(file: File) -> int:
    """How many iterations a run does on the device, as the user requested; 1 without a request."""
    requested = str(file.facts.npu_options.get("iterations_per_loop", 1))
    return int(requested) if requested.isdigit() else 1


def config_argument(file: File, fix: Fix) -> str:
    """``config=...`` for the call that creates the first session of a process, or nothing."""
    return f"config={session_config(file, fix)[0]}()" if file.facts.has_options_module else ""


def rank_size(file: File, fix: Fix) -> str:
    """An expression for the number of devices that train.

    Horovod scripts initialise HCCL where they initialised Horovod, so HCCL knows it. Elsewhere HCCL
    is not initialised before the graph is built, and the launcher's environment has the number.
    """
    if _is_initialised(file):
        return f"{fix.use('hccl.manage.api', 'get_rank_size')}()"
    return f"int({fix.use('os')}.getenv('RANK_SIZE', '1'))"


def rank_id(file: File, fix: Fix) -> str:
    """An expression for the rank of this process; see :func:`rank_size`."""
    if _is_initialised(file):
        return f"{fix.use('hccl.manage.api', 'get_rank_id')}()"
    return f"int({fix.use('os')}.getenv('RANK_ID', '0'))"


def _is_initialised(file: File) -> bool:
    """Whether the program a file belongs to initialises HCCL, now or after migration."""
    return file.facts.distributed == "horovod" and mentioned(file, *_INITIALISERS)


def is_session_config(file: File, node: ast.expr) -> bool:
    """Whether an expression already is a session config for the NPU.

    Made by ``npu_config_proto`` or the options module, or given an ``NpuOptimizer`` entry by hand,
    in this file or where it comes from.
    """
    return _Search(file.resolver, by_hand=True).finds(file.module, node, _DEPTH)


def has_options(file: File, node: ast.expr) -> bool:
    """Whether an expression is a session config that the options module made."""
    return _Search(file.resolver, by_hand=False).finds(file.module, node, _DEPTH)


@dataclass(frozen=True)
class _Search:
    """Follows a config to where it is made."""

    resolver: Resolver
    by_hand: bool
    """Whether ``npu_config_proto`` and entries added by hand count, or only the options module."""

    def finds(self, module: Module, node: ast.expr, depth: int) -> bool:
        """Whether the expression is a config for the NPU, as far as can be seen."""
        if depth <= 0:
            return False
        if isinstance(node, ast.IfExp):
            return all(self.finds(module, item, depth) for item in (node.body, node.orelse))
        if isinstance(node, ast.Call):
            return self._is_made(module, node, depth)
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        if self.by_hand and _npu_entry.has_entry(self.resolver, module, node):
            return True
        return any(
            self._is_bound(owner, binding, depth - 1)
            for owner, binding in bindings(self.resolver, module, node)
        )

    def _is_made(self, module: Module, call: ast.Call, depth: int) -> bool:
        """Whether a call gives one: the API's, ours, or a function of the project."""
        names, _ = self.resolver.names(module, call.func)
        if f"{OPTIONS_MODULE}.session_config" in names:
            return True
        if self.by_hand and "npu.npu_config_proto" in names:
            return True
        for value in self.resolver.infer(module, call.func):
            if isinstance(value, Function):
                if value.module.path.endswith(f"{OPTIONS_MODULE}.py"):
                    return True
                returns = scope_of(value.node).returns
                if returns and all(self.finds(value.module, item, depth - 1) for item in returns):
                    return True
        return self.by_hand and _npu_entry.is_given(module, call)

    def _is_bound(self, module: Module, binding: Binding, depth: int) -> bool:
        if depth <= 0:
            return False
        if isinstance(binding.node, ast.arg):
            return self._is_passed(module, binding.node, depth)
        if binding.kind == "import":
            located = self.resolver.project.locate(module.path, binding.origin)
            if located is None or located[0] is None or len(located[2]) != 1:
                return False
            other = self.resolver.project.module(located[0])
            if other is None:
                return False
            name = located[2][0]
            return (self.by_hand and _npu_entry.has_global(other, name)) or any(
                self._is_bound(other, item, depth - 1)
                for item in other.index.module.bindings.get(name, [])
            )
        if binding.kind != "assign" or binding.value is None or binding.path:
            return False
        return self.finds(module, binding.value, depth)

    def _is_passed(self, module: Module, argument: ast.arg, depth: int) -> bool:
        """Whether every caller passes one."""
        given = list(backward.passed(self.resolver, module, argument))
        return bool(given) and all(
            value is not None and self.finds(caller, value, depth - 1) for caller, value in given
        )
