"""Horovod for PyTorch in one file: every use, whether each has an equal, and the edits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ascendify.rules.kit import CallSite, Facts, File, Fix, Site
from ascendify.source.flow.forward import reads
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.scopes import parent, scope_of, statement

HVD = "horovod.torch"
_GROUP = "torch.distributed"
_ANSWERS = {"rank": "get_rank", "size": "get_world_size", "is_initialized": "is_initialized"}
"""Questions that torch.distributed answers, called or passed on."""
_VARIABLES = {"local_rank": "LOCAL_RANK", "local_size": "LOCAL_WORLD_SIZE"}
"""Questions that torchrun answers in a variable."""
_SAFE = frozenset(
    [
        "train", "eval", "parameters", "named_parameters", "zero_grad", "to", "cuda", "npu", "half",
        "float", "requires_grad_", "modules", "children", "buffers", "named_modules", "apply",
    ]
)  # fmt: skip
"""What is asked of a wrapped model as of the model itself."""
_INNER = frozenset({"state_dict", "load_state_dict"})
"""What is asked of the model inside, so that checkpoints keep their keys."""

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
"""Arguments of Horovod's functions that say nothing once there is one kind of mean."""

Edit = Callable[[Fix], None]


@dataclass(frozen=True)
class Plan:
    """What a file does with Horovod."""

    uses: tuple[Site, ...]
    missing: tuple[tuple[Site, str], ...]
    """Uses without an equal, and why."""
    edits: tuple[Edit, ...]


def plan(file: File) -> Plan:
    """Look at every use of a file; the edits hold only where nothing is missing."""
    return file.resolver.once(_plan_of, file.module)


def _plan_of(resolver: Resolver, module: Module) -> Plan:
    return _Planner(File(module, resolver, Facts(frameworks=frozenset({"torch"})))).plan()


def whole_project(file: File) -> bool:
    """Whether every file of the project that uses Horovod can do without it."""
    project = file.resolver.project
    for path in sorted(project.files):
        if path == file.path:
            continue
        other = project.module(path) if project.mentions(path, "horovod") else None
        if other is None:
            continue
        if plan(file.of(other)).missing:
            return False
    return not plan(file).missing


class _Planner:
    def __init__(self, file: File) -> None:
        self.file = file
        self.edits: list[Edit] = []
        self.missing: list[tuple[Site, str]] = []

    def plan(self) -> Plan:
        uses = tuple(self._mentions())
        dropped = self._dropped(uses)
        for site in uses:
            if id(site.node) in dropped:
                continue
            reason = self._use(site)
            if reason:
                self.missing.append((site, reason))
        self.missing.extend(self._imports())
        return Plan(uses, tuple(self.missing), tuple(self.edits))

    def _mentions(self) -> Iterator[Site]:
        for node in self.file.module.index.references:
            name = self.file.name(node)
            if name is not None and name.startswith(f"{HVD}."):
                yield Site(self.file, node, name)

    def _imports(self) -> Iterator[tuple[Site, str]]:
        """Imports go with the uses; names brought in one by one are left to a person."""
        for node in self.file.module.index.imports:
            for alias in node.names:
                origin = alias.name
                if isinstance(node, ast.ImportFrom) and not node.level:
                    origin = f"{node.module}.{alias.name}"
                if not origin.startswith(HVD):
                    continue
                site = Site(self.file, node, HVD)
                if len(node.names) > 1 or origin != HVD or isinstance(parent(node), ast.Try):
                    yield site, "it is imported in a way of its own"
                else:
                    self._add(lambda fix, node=node: fix.remove_statement(node))

    def _add(self, edit: Callable[..., None]) -> None:
        self.edits.append(edit)

    # uses

    def _use(self, site: Site) -> str:
        """Plan the edit of one use; why there is none, where there is none."""
        last = site.name[len(HVD) + 1 :]
        call = site.parent
        called = isinstance(call, ast.Call) and call.func is site.node
        if last in _ANSWERS:
            self._add(lambda fix: fix.replace(site.node, _torch(fix, _ANSWERS[last])))
            return ""
        if not called:
            return f"{last} has no equal in torch.distributed"
        made = CallSite(self.file, call, site.name)
        if last in _VARIABLES and not made.node.args:
            self._add(
                lambda fix: fix.replace(
                    made.node, f"int({fix.use('os')}.environ['{_VARIABLES[last]}'])"
                )
            )
            return ""
        handler = getattr(self, f"_{last}", None)
        if handler is None:
            return f"{last} has no equal in torch.distributed"
        found: str = handler(made)
        return found

    def _init(self, site: CallSite) -> str:
        if site.node.args or site.node.keywords:
            return "init is given ranks of its own"
        self._add(
            lambda fix: fix.replace(site.node, f"{_torch(fix, 'init_process_group')}('hccl')")
        )
        return ""

    def _shutdown(self, site: CallSite) -> str:
        self._add(lambda fix: fix.replace(site.node.func, _torch(fix, "destroy_process_group")))
        return ""

    def _allreduce(self, site: CallSite) -> str:
        tensor = site.args.value("tensor")
        if tensor is None or site.args.starred or not self._is_mean(site):
            return "its result is not a plain mean"
        self._add(lambda fix: _call_helper(fix, _MEAN, "mean_over_ranks", site))
        return ""

    def _is_mean(self, site: CallSite) -> bool:
        known = {"tensor", "name", "average", "op"}
        if not {argument.name for argument in site.args} <= known:
            return False
        average = site.args.value("average")
        return (average is None or self.file.literal(average) == (True,)) and self._is_average(site)

    def _is_average(self, site: CallSite) -> bool:
        given = site.args.value("op")
        return given is None or self.file.name(given) == f"{HVD}.Average"

    def _broadcast(self, site: CallSite) -> str:
        tensor, root = site.args.value("tensor"), site.args.value("root_rank")
        if tensor is None or root is None or site.args.starred or "process_set" in site.args:
            return "its arguments cannot be seen"
        self._add(lambda fix: _call_helper(fix, _SEND, "broadcast_from", site))
        return ""

    def _broadcast_parameters(self, site: CallSite) -> str:
        params = site.args.value("params")
        model = _owner(params, "state_dict", "named_parameters")
        if model is None or not isinstance(parent(site.node), ast.Expr):
            return "what it sends is not the state_dict() of a model"
        if self.file.text(model) not in self._wrapped():
            return f"{self.file.brief(model)} is not the model of a DistributedOptimizer"
        root = site.args.value("root_rank")
        if root is None or self.file.literal(root) != (0,):
            return "DistributedDataParallel sends from rank 0 only"
        self._add(lambda fix: fix.remove_statement(site.node))
        return ""

    def _broadcast_optimizer_state(self, site: CallSite) -> str:
        optimizer, root = site.args.value("optimizer"), site.args.value("root_rank")
        if optimizer is None or root is None or len(list(site.args)) > 2:
            return "its arguments cannot be seen"
        self._add(lambda fix: _call_helper(fix, _STATE, "broadcast_optimizer_state", site))
        return ""

    def _DistributedOptimizer(self, site: CallSite) -> str:  # noqa: N802 - named as what it is for
        whole = parent(site.node)
        optimizer = site.args.value("optimizer")
        model = self._model(site)
        if not isinstance(whole, ast.Assign) or optimizer is None or model is None:
            return "the model it belongs to cannot be seen"
        text = self.file.text(model)
        target = self.file.text(whole.targets[0])
        if len(whole.targets) != 1 or target != self.file.text(optimizer):
            return "the optimizer gets another name"
        known = {"optimizer", "named_parameters", "compression", "op"}
        if not {item.name for item in site.args} <= known or not self._is_average(site):
            return "it does more than average gradients"
        reason = self._later(model, whole)
        if reason:
            return reason
        self._add(
            lambda fix: fix.replace(
                whole,
                f"{text} = {fix.use('torch')}.nn.parallel.DistributedDataParallel({text}, "
                f"device_ids=[int({fix.use('os')}.environ['LOCAL_RANK'])])",
            )
        )
        return ""

    def _model(self, site: CallSite) -> ast.expr | None:
        model = _owner(site.args.value("named_parameters"), "named_parameters")
        return model if isinstance(model, (ast.Name, ast.Attribute)) else None

    def _wrapped(self) -> set[str]:
        found = set()
        for site in self.file.calls(f"{HVD}.DistributedOptimizer"):
            model = self._model(site)
            if model is not None:
                found.add(self.file.text(model))
        return found

    def _later(self, model: ast.expr, wrap: ast.stmt) -> str:
        """What is asked of the model once it is wrapped goes to the model inside."""
        text = self.file.text(model)
        root = model
        while isinstance(root, ast.Attribute):
            root = root.value
        name = root.id if isinstance(root, ast.Name) else ""
        scope = scope_of(root).find(name)
        if scope is None or not isinstance(model, ast.Name):
            return "the model is not a variable"
        if scope_of(wrap).kind != scope.kind:
            return "the model belongs to another scope"
        for node in self.file.module.index.references:
            chain: ast.AST = node
            while isinstance(chain, ast.Attribute) and self.file.text(chain.value) != text:
                chain = chain.value
            if not isinstance(chain, ast.Attribute) or scope_of(chain).find(name) is not scope:
                continue
            if scope_of(chain) is scope and chain.lineno <= (wrap.end_lineno or wrap.lineno):
                continue
            if self._is_sent(chain) or chain.attr in _SAFE:
                continue
            if chain.attr not in _INNER:
                return f"{self.file.brief(node)} is not there once the model is wrapped"
            self._add(lambda fix, at=chain.value: _insert_after(fix, at, ".module"))
        return ""

    def _is_sent(self, chain: ast.Attribute) -> bool:
        """Whether it stands in a call of broadcast_parameters, which goes."""
        around = parent(parent(chain))
        return isinstance(around, ast.Call) and (
            self.file.name(around.func) == f"{HVD}.broadcast_parameters"
        )

    def _dropped(self, uses: tuple[Site, ...]) -> set[int]:
        """Uses that go with something else: how gradients are compressed, and which mean."""
        found: set[int] = set()
        for site in uses:
            last = site.name[len(HVD) + 1 :]
            if last == "Average":
                found.add(id(site.node))
            if last.startswith("Compression") and self._goes(site, uses):
                found.add(id(site.node))
        return found

    def _goes(self, site: Site, uses: tuple[Site, ...]) -> bool:
        node: ast.AST = site.node
        while isinstance(parent(node), ast.IfExp):
            node = parent(node)
        around = parent(node)
        if isinstance(around, ast.keyword):
            return around.arg == "compression"
        if not isinstance(around, ast.Assign) or not isinstance(around.targets[0], ast.Name):
            return False
        if not all(
            isinstance(parent(read), ast.keyword)
            and getattr(parent(read), "arg", "") == "compression"
            for read in reads(around.targets[0])
        ):
            return False
        first = [item for item in uses if statement(item.node) is around]
        if first and first[0].node is site.node:
            self._add(lambda fix: fix.remove_statement(around))
        return True


def _owner(node: ast.expr | None, *methods: str) -> ast.expr | None:
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


def _call_helper(fix: Fix, text: str, name: str, site: CallSite) -> None:
    """Call a function of the file instead, without the arguments it has no need of."""
    torch = fix.use("torch")
    fix.replace(site.node.func, fix.define(text.replace("torch.", f"{torch}."), name, site.node))
    fix.remove_arguments(site.node, [item for item in site.args if item.name in _UNNEEDED])


def _insert_after(fix: Fix, node: ast.AST, text: str) -> None:
    end = fix.module.end(node)
    fix.replace_range(end, end, text)
