"""Plan how a file that uses Horovod for PyTorch is rewritten for torch.distributed.

Every use is looked at before anything is changed: a file is rewritten completely or not at all.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Union

from ascendify.rules.kit import CallSite, Facts, File, Fix, Site
from ascendify.source.flow.forward import reads
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import call_of
from ascendify.source.scopes import parent, scope_of, statement

HVD = "horovod.torch"
_SAME = {"rank": "get_rank", "size": "get_world_size", "is_initialized": "is_initialized"}
"""Functions that torch.distributed has under another name, with the same result."""
_VARIABLES = {"local_rank": "LOCAL_RANK", "local_size": "LOCAL_WORLD_SIZE"}
"""Functions whose result torchrun puts into an environment variable."""
_SAFE = frozenset(
    [
        "train", "eval", "parameters", "named_parameters", "zero_grad", "to", "cuda", "npu", "half",
        "float", "requires_grad_", "modules", "children", "buffers", "named_modules", "apply",
    ]
)  # fmt: skip
"""Methods that do the same on a wrapped model as on the model itself."""
_INNER = frozenset({"state_dict", "load_state_dict"})
"""Methods to call on the model inside the wrapper, so that checkpoints keep their keys."""

_MEAN = '''\
def {name}(tensor):
    """The mean of a tensor over all ranks; HCCL wants it on the NPU."""
    total = tensor.detach().clone().npu()
    torch.distributed.all_reduce(total)
    return (total / torch.distributed.get_world_size()).to(tensor.device)'''
_SEND = '''\
def {name}(tensor, root_rank):
    """The tensor of one rank on all ranks; HCCL wants it on the NPU."""
    sent = tensor.detach().clone().npu()
    torch.distributed.broadcast(sent, root_rank)
    return sent.to(tensor.device)'''
_STATE = '''\
def {name}(optimizer, root_rank):
    """Give all ranks the state that an optimizer has on one of them."""
    state = [optimizer.state_dict()]
    torch.distributed.broadcast_object_list(state, root_rank)
    optimizer.load_state_dict(state[0])'''
_UNNEEDED = ("name", "average", "op")
"""Arguments of Horovod's functions that the helper functions above do not take."""

Edit = Callable[[Fix], None]
_Planned = Union[Edit, str]
"""The edit that replaces a use, or the reason why there is none."""


@dataclass(frozen=True)
class HorovodPlan:
    """What a file does with Horovod."""

    uses: tuple[Site, ...]
    missing: tuple[tuple[Site, str], ...]
    """Uses that cannot be rewritten, and why."""
    edits: tuple[Edit, ...]


def plan(file: File) -> HorovodPlan:
    """Plan the edits of a file; they are complete only where nothing is missing."""
    return file.resolver.once(_plan_module, file.module)


def _plan_module(resolver: Resolver, module: Module) -> HorovodPlan:
    return _Planner(File(module, resolver, Facts(frameworks=frozenset({"torch"})))).plan()


def is_whole_project_planned(file: File) -> bool:
    """Whether every file of the project that uses Horovod can be rewritten."""
    project = file.resolver.project
    for path in sorted(project.files):
        other = project.module(path) if project.mentions(path, "horovod") else None
        if other is not None and plan(file.of(other)).missing:
            return False
    return not plan(file).missing


class _Planner:
    def __init__(self, file: File) -> None:
        self.file = file
        self.edits: list[Edit] = []

    def plan(self) -> HorovodPlan:
        uses = tuple(self._mentions())
        missing: list[tuple[Site, str]] = []
        for site, planned in (*self._uses(uses), *self._imports()):
            if isinstance(planned, str):
                missing.append((site, planned))
            else:
                self.edits.append(planned)
        return HorovodPlan(uses, tuple(missing), tuple(self.edits))

    def _mentions(self) -> Iterator[Site]:
        for node in self.file.module.index.references:
            name = self.file.name(node)
            if name is not None and name.startswith(f"{HVD}."):
                yield Site(self.file, node, name)

    def _uses(self, uses: tuple[Site, ...]) -> Iterator[tuple[Site, _Planned]]:
        for site in uses:
            last = site.name[len(HVD) + 1 :]
            if last != "Average" and not self._is_compression(site, last, uses):
                yield site, self._use(site, last)

    def _imports(self) -> Iterator[tuple[Site, _Planned]]:
        """Remove plain imports; names that are imported one by one are left to a person."""
        for node in self.file.module.index.imports:
            for alias in node.names:
                origin = alias.name
                if isinstance(node, ast.ImportFrom) and not node.level:
                    origin = f"{node.module}.{alias.name}"
                if not origin.startswith(HVD):
                    continue
                site = Site(self.file, node, HVD)
                if len(node.names) > 1 or origin != HVD or isinstance(parent(node), ast.Try):
                    yield site, "it is imported together with other names, or in a try"
                else:
                    yield site, _remove(node)

    def _use(self, site: Site, last: str) -> _Planned:
        """Plan the edit of one use."""
        call = call_of(site.node)
        if last in _SAME:
            return lambda fix: fix.replace(site.node, _torch(fix, _SAME[last]))
        handler = getattr(self, f"_{last}", None)
        if call is not None and last in _VARIABLES and not call.args:
            variable = _VARIABLES[last]
            return lambda fix: fix.replace(call, f"int({fix.use('os')}.environ['{variable}'])")
        if call is None or handler is None:
            return f"{last} has no equivalent in torch.distributed"
        planned: _Planned = handler(CallSite(self.file, call, site.name))
        return planned

    def _init(self, site: CallSite) -> _Planned:
        if site.node.args or site.node.keywords:
            return "init gets a list of ranks"
        return lambda fix: fix.replace(site.node, f"{_torch(fix, 'init_process_group')}('hccl')")

    def _shutdown(self, site: CallSite) -> _Planned:
        return lambda fix: fix.replace(site.node.func, _torch(fix, "destroy_process_group"))

    def _allreduce(self, site: CallSite) -> _Planned:
        average = site.args.value("average")
        plain = average is None or self.file.literal(average) == (True,)
        if "tensor" not in site.args or not plain or not self._averages(site, "tensor", *_UNNEEDED):
            return "its result is not a plain mean"
        return _call_helper(_MEAN, "mean_over_ranks", site)

    def _averages(self, site: CallSite, *known: str) -> bool:
        """Whether a call averages, and has no arguments but the known ones."""
        given = site.args.value("op")
        is_mean = given is None or self.file.name(given) == f"{HVD}.Average"
        return is_mean and not site.args.starred and {item.name for item in site.args} <= {*known}

    def _broadcast(self, site: CallSite) -> _Planned:
        if not _has(site, "tensor", "root_rank") or "process_set" in site.args:
            return "its arguments are not visible"
        return _call_helper(_SEND, "broadcast_from", site)

    def _broadcast_optimizer_state(self, site: CallSite) -> _Planned:
        if not _has(site, "optimizer", "root_rank") or len(list(site.args)) > 2:
            return "its arguments are not visible"
        return _call_helper(_STATE, "broadcast_optimizer_state", site)

    def _broadcast_parameters(self, site: CallSite) -> _Planned:
        model = _receiver(site.args.value("params"), "state_dict", "named_parameters")
        if model is None or not isinstance(parent(site.node), ast.Expr):
            return "its argument is not the state_dict() of a model"
        wrapped = map(_model, self.file.calls(f"{HVD}.DistributedOptimizer"))
        if self.file.text(model) not in {self.file.text(item) for item in wrapped if item}:
            return f"{self.file.brief(model)} is not the model of a DistributedOptimizer"
        root = site.args.value("root_rank")
        if root is None or self.file.literal(root) != (0,):
            return "DistributedDataParallel sends from rank 0 only"
        return _remove(site.node)

    def _DistributedOptimizer(self, site: CallSite) -> _Planned:  # noqa: N802 - Horovod's name
        whole = parent(site.node)
        optimizer, model = site.args.value("optimizer"), _model(site)
        if not isinstance(whole, ast.Assign) or optimizer is None or model is None:
            return "the model it belongs to is not visible"
        text = self.file.text(model)
        target = self.file.text(whole.targets[0])
        if len(whole.targets) != 1 or target != self.file.text(optimizer):
            return "the result has another name than the optimizer"
        if not self._averages(site, "optimizer", "named_parameters", "compression", "op"):
            return "it does more than average gradients"
        return self._uses_of_model(model, whole) or (
            lambda fix: fix.replace(
                whole,
                f"{text} = {fix.use('torch')}.nn.parallel.DistributedDataParallel({text}, "
                f"device_ids=[int({fix.use('os')}.environ['LOCAL_RANK'])])",
            )
        )

    def _uses_of_model(self, model: ast.expr, wrap: ast.stmt) -> str:
        """Plan the edits of uses of the model after it is wrapped; why that is not possible."""
        scope = scope_of(model).find(model.id) if isinstance(model, ast.Name) else None
        if scope is None or not isinstance(model, ast.Name):
            return "the model is not a variable"
        if scope_of(wrap).kind != scope.kind:
            return "the model belongs to another scope"
        for node in self.file.module.index.references:
            chain: ast.AST = node
            while isinstance(chain, ast.Attribute) and self.file.text(chain.value) != model.id:
                chain = chain.value
            if not isinstance(chain, ast.Attribute) or scope_of(chain).find(model.id) is not scope:
                continue
            if scope_of(chain) is scope and chain.lineno <= (wrap.end_lineno or wrap.lineno):
                continue
            if chain.attr in _INNER and not self._is_broadcast(chain):
                self.edits.append(_insert_after(chain.value, ".module"))
            elif chain.attr not in _SAFE | _INNER:
                return f"{self.file.brief(node)} does not exist once the model is wrapped"
        return ""

    def _is_broadcast(self, chain: ast.Attribute) -> bool:
        """Whether it is an argument of broadcast_parameters, a call that is removed."""
        around = parent(parent(chain))
        return isinstance(around, ast.Call) and (
            self.file.name(around.func) == f"{HVD}.broadcast_parameters"
        )

    def _is_compression(self, site: Site, last: str, uses: tuple[Site, ...]) -> bool:
        """Whether a use only chooses a compression of gradients, which is removed."""
        node: ast.AST = site.node
        while isinstance(parent(node), ast.IfExp):
            node = parent(node)
        around = parent(node)
        if not last.startswith("Compression"):
            return False
        if isinstance(around, ast.keyword):
            return around.arg == "compression"
        if not isinstance(around, ast.Assign) or not isinstance(around.targets[0], ast.Name):
            return False
        users = [parent(read) for read in reads(around.targets[0])]
        if not all(isinstance(user, ast.keyword) and user.arg == "compression" for user in users):
            return False
        first = next(item for item in uses if statement(item.node) is around)
        if first.node is site.node:
            self.edits.append(_remove(around))
        return True


def _has(site: CallSite, *names: str) -> bool:
    """Whether a call visibly gets all of these arguments."""
    return not site.args.starred and all(name in site.args for name in names)


def _model(site: CallSite) -> ast.expr | None:
    """The model whose parameters a DistributedOptimizer gets."""
    model = _receiver(site.args.value("named_parameters"), "named_parameters")
    return model if isinstance(model, (ast.Name, ast.Attribute)) else None


def _receiver(node: ast.expr | None, *methods: str) -> ast.expr | None:
    """``model`` for ``model.state_dict()``."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in methods
        and not node.args
    ):
        return node.func.value
    return None


def _torch(fix: Fix, name: str) -> str:
    return f"{fix.use('torch')}.distributed.{name}"


def _remove(node: ast.AST) -> Edit:
    return lambda fix: fix.remove_statement(node)


def _insert_after(node: ast.AST, text: str) -> Edit:
    def edit(fix: Fix) -> None:
        end = fix.module.end(node)
        fix.replace_range(end, end, text)

    return edit


def _call_helper(text: str, name: str, site: CallSite) -> Edit:
    """Call a helper function that is added to the file, without the arguments it does not take."""

    def edit(fix: Fix) -> None:
        function = text.replace("torch.", f"{fix.use('torch')}.")
        fix.replace(site.node.func, fix.define(function, name, site.node))
        fix.remove_arguments(site.node, [item for item in site.args if item.name in _UNNEEDED])

    return edit
