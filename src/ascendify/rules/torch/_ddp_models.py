"""The models that a program trains: where each is kept, where it is wrapped, what is done with it.

A model is what an optimizer is given the parameters of. It is wrapped right before it is trained,
so that all that prepares it (initial weights, checkpoints, the move to the device) stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from ascendify.catalog import types
from ascendify.rules.kit import File
from ascendify.rules.torch._ddp_steps import Obstacle, TrainingSteps
from ascendify.source.flow import backward
from ascendify.source.flow.forward import Path, Slot, Step
from ascendify.source.flow.outside import Outside
from ascendify.source.flow.uses import UsesWalk
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import (
    FUNCTIONS,
    LOOPS,
    class_around,
    function_around,
    given_value,
    last_name,
    only_target,
    position,
    receiver,
    root_name,
    string,
    values_given,
)
from ascendify.source.scopes import Binding, Scope, ancestors, parent, scope_of, statement
from ascendify.source.values import Class, Function

_MODULE = "torch.nn.Module"
_OPTIMIZERS = frozenset(
    {
        "SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adadelta", "Adagrad", "RMSprop",
        "Rprop", "ASGD", "LBFGS", "SparseAdam", "Adafactor", "Lamb", "LAMB", "Lion", "LARS",
    }
)  # fmt: skip
_PARAMETERS = ("parameters", "named_parameters")
_FUNCTIONS_THAT_LOOK = frozenset(
    {"builtins.isinstance", "builtins.print", "builtins.id", "builtins.type", "builtins.len"}
)
_SAME = frozenset({"to", "cuda", "npu", "cpu", "float", "half", "double", "train", "eval"})
"""Methods that return the module they are called on."""
_OF_WRAPPER = _SAME | {"parameters", "zero_grad", "requires_grad_", "forward", "training"}
"""What the wrapper has as the model has it; ``forward`` is the averaging forward pass too."""
_TO_DEVICE = ("to", "cuda", "npu")
_MOVES = (*_TO_DEVICE, "load_state_dict", "apply")
_DEEPEST = 8
"""Steps after which nobody would follow parameters any further."""
_FOLLOW = (
    "Wrap the model yourself right before it is trained: import npu_ddp; npu_ddp.init() at the "
    "start of the script; model = npu_ddp.wrap(model); npu_ddp.share(loader) for training data."
)


@dataclass(frozen=True)
class Wrap:
    """A model and where it is wrapped."""

    module: Module
    text: str
    """How the model is written there: ``model``, ``self.model``."""
    place: ast.stmt
    after: bool
    """Whether it is wrapped after that statement; else before it."""


@dataclass
class Models:
    """All models of a program."""

    wraps: list[Wrap] = field(default_factory=list)
    inner: list[tuple[Module, ast.expr]] = field(default_factory=list)
    forwards: list[ast.Call] = field(default_factory=list)


@dataclass(frozen=True)
class _Home:
    """The variable, or the attribute of a class, that keeps a model."""

    module: Module
    scope: Scope
    """Of the variable, or of the class."""
    name: str

    @property
    def is_attribute(self) -> bool:
        return self.scope.kind == "class"

    @property
    def bindings(self) -> list[Binding]:
        names = self.scope.attributes if self.is_attribute else self.scope.bindings
        return names.get(self.name, [])


class _LostError(Exception):
    """A model that cannot be followed, and where it got out of sight."""

    def __init__(self, module: Module, node: ast.AST, why: str) -> None:
        super().__init__(why)
        self.module, self.node, self.why = module, node, why


def models(training: TrainingSteps) -> Models | Obstacle:
    """The models that the optimizers of a program train."""
    found = Models()
    try:
        homes = _homes(training)
        if not homes:
            step = training.steps[0]
            raise _LostError(step.module, step.call, "no optimizer was found that is given a model")
        for home in homes:
            _Wrapping(training, home).add_to(found)
    except _LostError as lost:
        text = training.file.of(lost.module).brief(lost.node)
        return Obstacle(lost.module, lost.node, f"{lost.why}: {text}", _FOLLOW)
    return found


# --- which models are trained --------------------------------------------------------------------


def _homes(training: TrainingSteps) -> list[_Home]:
    found: list[_Home] = []
    for module in training.modules.values():
        file = training.file.of(module)
        for call in module.index.calls:
            if not _makes_optimizer(file, call):
                continue
            owners = list(_owners(file, call, 0))
            if not owners:
                raise _LostError(module, call, "what this optimizer trains cannot be followed")
            for owner_file, owner in owners:
                for home in _homes_of(owner_file, owner):
                    if home not in found:
                        found.append(home)
    return found


def _makes_optimizer(file: File, call: ast.Call) -> bool:
    names, _ = file.names(call.func)
    if any(_is_optimizer(name) for name in names):
        return True
    if isinstance(call.func, ast.Call):  # getattr(optim, args.optimizer)(model.parameters())
        given = call.func.args[:1]
        return last_name(call.func.func) == "getattr" and any(
            file.name(item) == "torch.optim" for item in given
        )
    if last_name(call.func) in _OPTIMIZERS and call.args:
        return True
    return any(
        isinstance(value, Class) and "torch.optim.Optimizer" in file.resolver.external_bases(value)
        for value in file.resolver.infer(file.module, call.func)
    )


def _is_optimizer(name: str) -> bool:
    return name.startswith(("torch.optim.", "torch_npu.optim.")) and (
        types.is_a(name, "torch.optim.Optimizer") or name.rpartition(".")[2] in _OPTIMIZERS
    )


def _owners(file: File, node: ast.expr, depth: int) -> Iterator[tuple[File, ast.expr]]:
    """The modules whose parameters an expression consists of; a lone tensor is an error."""
    if depth > _DEEPEST:
        raise _LostError(file.module, node, "these parameters cannot be followed")
    if isinstance(node, ast.Call):
        owner = receiver(node)
        if owner is not None and last_name(node.func) in _PARAMETERS:
            yield file, owner
            return
        for part in values_given(node) if depth else _first_given(node):
            yield from _owners_of_part(file, part, depth + 1)
    elif isinstance(node, ast.Name):
        yield from _owners_of_name(file, node, depth)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values):
            if string(key) == "params":
                yield from _owners(file, value, depth + 1)
    else:
        for part in _parts(node):
            found = list(_owners(file, part, depth + 1))
            if not found:
                raise _LostError(file.module, part, "an optimizer trains what no model has")
            yield from found


def _first_given(call: ast.Call) -> list[ast.expr]:
    """What an optimizer is given to train."""
    given = given_value(call, "params", 0)
    return [] if given is None else [given]


def _parts(node: ast.expr) -> list[ast.expr]:
    """The expressions whose parameters a list, a sum or a comprehension joins."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return [generator.iter for generator in node.generators]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return [node.value] if isinstance(node, ast.Starred) else []


def _owners_of_part(file: File, node: ast.expr, depth: int) -> Iterator[tuple[File, ast.expr]]:
    """The modules in an argument: of a function of the project it may be the model itself."""
    if depth > 1 and isinstance(node, (ast.Name, ast.Attribute)) and file.is_a(node, _MODULE):
        yield file, node
    elif not isinstance(node, (ast.Lambda, ast.Constant)):
        yield from _owners(file, node, depth)


def _owners_of_name(file: File, node: ast.Name, depth: int) -> Iterator[tuple[File, ast.expr]]:
    for binding in backward.definitions(node):
        if isinstance(binding.node, ast.arg):
            for caller, value in backward.passed(file.resolver, file.module, binding.node):
                if value is not None:
                    yield from _owners(file.of(caller), value, depth + 1)
        elif binding.kind == "assign" and binding.value is not None and not binding.path:
            yield from _owners(file, binding.value, depth + 1)
    scope = scope_of(node).find(node.id)
    for use in [] if scope is None else scope.uses(node.id):
        around = parent(use)
        call = parent(around)
        if (
            isinstance(around, ast.Attribute)
            and around.attr in ("append", "extend")
            and isinstance(call, ast.Call)
        ):
            for item in call.args:
                if isinstance(item, (ast.Dict, ast.Call, ast.List)):
                    yield from _owners(file, item, depth + 1)


def _homes_of(file: File, node: ast.expr, depth: int = 6) -> Iterator[_Home]:
    """The variables that keep the model of an expression such as ``model.features``."""
    name = root_name(node)
    if name is None or depth == 0:
        raise _LostError(file.module, node, "a model that an optimizer trains has no name")
    cls = class_around(name)
    scope = scope_of(name).find(name.id)
    if scope is None:
        raise _LostError(file.module, node, "a model that an optimizer trains is not made here")
    bindings = scope.bindings[name.id]
    if any(isinstance(item.node, ast.arg) for item in bindings):
        if name.id == "self" and cls is not None:
            yield from _homes_of_self(file, node, name, cls, depth)
        elif len(bindings) == 1:
            yield from _homes_of_argument(file, node, bindings[0], depth)
        else:
            yield _Home(file.module, scope, name.id)
        return
    if not all(item.kind == "assign" for item in bindings):
        raise _LostError(file.module, node, "a model that an optimizer trains is not assigned here")
    if file.is_a(name, _MODULE) is False:
        raise _LostError(
            file.module, node, "a model that an optimizer trains is part of another object"
        )
    yield _Home(file.module, scope, name.id)


def _homes_of_self(
    file: File, node: ast.expr, name: ast.Name, cls: ast.ClassDef, depth: int
) -> Iterator[_Home]:
    """``self.model`` of a trainer; ``self`` of a model that makes its own optimizer."""
    bases = file.resolver.external_bases(Class(file.module, cls))
    around = parent(name)
    if any(types.is_a(base, _MODULE) for base in bases):
        method = function_around(name)
        if method is None:
            return
        for caller, call, _ in file.resolver.callers(Function(file.module, method)):
            owner = receiver(call)
            if owner is not None:
                yield from _homes_of(file.of(caller), owner, depth - 1)
    elif isinstance(around, ast.Attribute) and name is not node:
        yield _Home(file.module, scope_of(cls), around.attr)


def _homes_of_argument(file: File, node: ast.expr, binding: Binding, depth: int) -> Iterator[_Home]:
    argument = binding.node
    given = list(backward.passed(file.resolver, file.module, argument))  # type: ignore[arg-type]  # an ast.arg
    if not given or any(value is None for _, value in given):
        raise _LostError(
            file.module, node, "a model that an optimizer trains is given by nobody seen"
        )
    for caller, value in given:
        if value is not None:
            yield from _homes_of(file.of(caller), value, depth - 1)


# --- where a model is wrapped, and what is done with it then -------------------------------------


class _Wrapping:
    """One model: the place where it is wrapped, and its uses after that."""

    def __init__(self, training: TrainingSteps, home: _Home) -> None:
        self.training = training
        self.resolver = training.file.resolver
        self.home = home
        self.module = home.module
        self.file = training.file.of(home.module)

    def add_to(self, found: Models) -> None:
        """Add the wrap, and what must be unwrapped again."""
        wrap = self._attribute() if self.home.is_attribute else self._variable()
        walks = [self._walk(module, node) for module, node in self._later(wrap)]
        moves = [item for walk in walks for item in walk.moves]
        if moves and not self._is_moved_before(wrap):
            _Wrapping(self.training, self._home_of_move(*moves[0])).add_to(found)
            return
        forwards = [item for walk in walks for item in walk.called]
        self._check_forwards(forwards, walks, wrap)
        if wrap in found.wraps:
            return
        found.wraps.append(wrap)
        found.forwards.extend(call for _, call in forwards)
        for walk in walks:
            if walk.hidden is not None:
                raise _LostError(*walk.hidden, "a model is kept where it cannot be followed")
            found.inner.extend(item for item in walk.inner if item not in found.inner)

    def _is_moved_before(self, wrap: Wrap) -> bool:
        """Whether the model is on the device where it is wrapped, as far as is seen there."""
        reads = self.home.scope.uses(self.home.name) if not self.home.is_attribute else []
        seen = [node for node in reads if position(node) < position(wrap.place)]
        values = [item.value for item in self.home.bindings if item.value is not None]
        calls = [node for value in values for node in ast.walk(value)]
        calls += [parent(parent(node)) for node in seen]
        return self.home.is_attribute or any(
            isinstance(node, ast.Call) and last_name(node.func) in _TO_DEVICE for node in calls
        )

    def _home_of_move(self, module: Module, call: ast.Call) -> _Home:
        """Where the model is kept once it was moved to the device."""
        around = parent(call)
        target = receiver(call) if isinstance(around, ast.Expr) else only_target(around)
        cls = class_around(call)
        home = None
        if isinstance(target, ast.Name):
            scope = scope_of(target).find(target.id)
            home = None if scope is None else _Home(module, scope, target.id)
        elif isinstance(target, ast.Attribute) and cls is not None:
            is_own = last_name(target.value) == "self"
            home = _Home(module, scope_of(cls), target.attr) if is_own else None
        if home is None or home == self.home:
            raise _LostError(module, call, "a model is moved to the device where it is not kept")
        return home

    def _walk(self, module: Module, node: ast.expr) -> _ModelWalk:
        walk = _ModelWalk(self.resolver)
        walk.follow(module, node)
        return walk

    def _check_forwards(
        self, forwards: list[tuple[Module, ast.Call]], walks: list[_ModelWalk], wrap: Wrap
    ) -> None:
        training = self.training
        if any(function_around(call) in training.direct for _, call in forwards):
            return
        method = next(
            (
                (module, call)
                for walk in walks
                for module, call in walk.methods
                if function_around(call) in training.direct
            ),
            None,
        )
        if method is None and any(training.is_on_the_way(*item) for item in forwards):
            return
        module, node = method or (wrap.module, wrap.place)
        raise _LostError(
            module,
            node,
            f"{wrap.text}(...) is not called where gradients are computed, and "
            "DistributedDataParallel averages the gradients of such a call only",
        )

    # a variable

    def _own(self) -> list[ast.Name]:
        """The reads of the variable in its own function, in the order of the text."""
        uses = [
            node
            for node in self.home.scope.uses(self.home.name)
            if self._function(node) is self._around
        ]
        return sorted(uses, key=position)

    @property
    def _around(self) -> ast.AST | None:
        node = self.home.scope.node
        return node if isinstance(node, FUNCTIONS) else None

    @staticmethod
    def _function(node: ast.AST) -> ast.AST | None:
        around = function_around(node)
        while isinstance(around, ast.Lambda):
            around = function_around(around)
        return around

    def _variable(self) -> Wrap:
        """Wrap a variable before the first statement that trains with it."""
        bindings = self.home.bindings
        if any(self._function(item.node) is not self._around for item in bindings):
            raise _LostError(
                self.module, bindings[-1].node, "a model is assigned in other functions"
            )
        uses = self._own()
        trained: list[ast.AST] = [
            node for node in uses if self._trains(node) and not self._makes(node)
        ]
        inner = [node for node in self.home.scope.uses(self.home.name) if node not in uses]
        if any(self._trains(node) for node in inner):
            trained += [
                site
                for module, site in self.training.sites
                if module is self.module and self._function(site) is self._around
            ]
        if not trained:
            value = bindings[-1].value or bindings[-1].node
            raise _LostError(
                self.module, value, "no forward pass in training was found for this model"
            )
        first = min(trained, key=position)
        place = self._place(first)
        later = [item for item in bindings if position(item.node) > position(place)]
        if any(position(node) > position(later[0].node) for node in trained if later):
            raise _LostError(self.module, later[0].node, "a model is replaced while it is trained")
        return Wrap(self.module, self.home.name, place, after=False)

    def _makes(self, node: ast.expr) -> bool:
        """Whether a read only makes the variable anew: ``model = model.to(device)``."""
        item = statement(node)
        return any(statement(binding.node) is item for binding in self.home.bindings)

    def _trains(self, node: ast.expr) -> bool:
        walk = self._walk(self.module, node)
        return any(self.training.is_on_the_way(module, call) for module, call in walk.called)

    def _place(self, node: ast.AST) -> ast.stmt:
        """The outermost loop around a node that does not make the model anew, or its statement."""
        place = statement(node)
        made = [item.node for item in self.home.bindings]
        for item in ancestors(node):
            if isinstance(item, FUNCTIONS):
                break
            if isinstance(item, LOOPS) and not any(_is_in(node, item) for node in made):
                place = item
        return place

    # an attribute of a class

    def _attribute(self) -> Wrap:
        """Wrap ``self.model`` after the last statement that makes or moves it."""
        bindings = self.home.bindings
        functions = {function_around(item.node) for item in bindings}
        if len(functions) != 1:
            node = bindings[-1].node if bindings else self.home.scope.node
            raise _LostError(self.module, node, "a model is assigned in several methods")
        function = functions.pop()
        text = f"self.{self.home.name}"
        last = max((item.node for item in bindings), key=position)
        for node in self.module.index.of(ast.Call):
            owner = receiver(node)
            if owner is None or last_name(node.func) not in _MOVES:
                continue
            if self.module.segment(owner) != text or class_around(node) is not self.home.scope.node:
                continue
            if last_name(node.func) in _TO_DEVICE and function_around(node) is not function:
                raise _LostError(
                    self.module, node, "a model is moved to the device in another method"
                )
            if function_around(node) is function:
                last = max(last, node, key=position)
        place = statement(last)
        while parent(place) is not function:
            outer = parent(place)
            if not isinstance(outer, ast.stmt):
                break
            place = outer
        return Wrap(self.module, text, place, after=True)

    def _later(self, wrap: Wrap) -> Iterator[tuple[Module, ast.expr]]:
        """Every read of the model that may see it wrapped."""
        if self.home.is_attribute:
            end = (wrap.place.end_lineno or wrap.place.lineno, 0)
            walk = _ModelWalk(self.resolver)
            cls = Class(self.module, self.home.scope.node)  # type: ignore[arg-type]  # of a class
            for module, node in walk.reads_of_attribute(cls, self.home.name):
                same = function_around(node) is function_around(wrap.place)
                if module is not self.module or not same or position(node) > end:
                    yield module, node
            return
        own = self._own()
        for node in self.home.scope.uses(self.home.name):
            if node not in own or position(node) >= position(wrap.place):
                yield self.module, node


def _is_in(node: ast.AST, outer: ast.AST) -> bool:
    return node is outer or any(item is outer for item in ancestors(node))


def _is_for_cpu(call: ast.Call) -> bool:
    return any(string(item) == "cpu" for item in call.args)


class _ModelWalk(UsesWalk):
    """Every use of a model: calls of it, and what needs the model instead of its wrapper."""

    def __init__(self, resolver: Resolver) -> None:
        super().__init__(resolver, Outside(same=_SAME))
        self.called: list[tuple[Module, ast.Call]] = []
        self.methods: list[tuple[Module, ast.Call]] = []
        """Calls of methods of the model's own."""
        self.inner: list[tuple[Module, ast.expr]] = []
        self.moves: list[tuple[Module, ast.Call]] = []
        """Calls that move it to a device."""
        self.hidden: tuple[Module, ast.AST] | None = None

    def reads_of_attribute(self, cls: Class, name: str) -> list[tuple[Module, ast.expr]]:
        """Every read of an attribute of instances of a project class."""
        return self._attribute_reads(cls, name)

    def lost(self, module: Module, node: ast.AST) -> None:
        """Give the model itself to what cannot be looked into."""
        if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and isinstance(node, ast.expr):
            if (module, node) not in self.inner:
                self.inner.append((module, node))
        elif self.hidden is None:
            self.hidden = (module, node)

    def on_call(self, module: Module, node: ast.expr, around: ast.Call, path: Path) -> None:
        """Record a forward pass."""
        if node is around.func:
            self.called.append((module, around))
        else:
            super().on_call(module, node, around, path)

    def on_member(self, module: Module, node: ast.expr, around: ast.Attribute, path: Path) -> None:
        """Record what the wrapper does not have."""
        outer = parent(around)
        call = outer if isinstance(outer, ast.Call) and outer.func is around else None
        if call is not None and around.attr in _TO_DEVICE and not _is_for_cpu(call):
            self.moves.append((module, call))
        if call is not None and around.attr == "forward":
            self.called.append((module, call))
        elif around.attr not in _OF_WRAPPER:
            self.lost(module, node)
            if call is not None and around.attr not in _KNOWN_METHODS:
                self.methods.append((module, call))
        elif call is not None and around.attr in _SAME and not isinstance(parent(call), ast.Expr):
            self.follow(module, call)

    def on_return(self, module: Module, node: ast.expr, around: ast.Return, path: Path) -> None:
        """Return the model itself."""
        self.lost(module, node)

    def on_read(self, module: Module, node: ast.expr, around: ast.AST, path: Path) -> None:
        """A test or a comparison of the model is none of its wrapper."""

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        """Go on inside functions of the project; give the model itself to others."""
        values = self.resolver.infer(module, call.func)
        names, _ = self.resolver.names(module, call.func)
        if names and set(names) <= _FUNCTIONS_THAT_LOOK:
            return
        entered = [self.entered(module, call, value) for value in values]
        if not entered or not all(entered):
            self.lost(module, node)
            return
        for item in entered:
            if item is not None and not self.enter(*item, slot, path):
                self.lost(module, node)

    steps: ClassVar[Mapping[str, Step]] = {
        **UsesWalk.steps,
        **dict.fromkeys(("Compare", "UnaryOp", "If", "While", "Assert", "Expr"), on_read),
        "Call": on_call,
        "Attribute": on_member,
        "Return": on_return,
    }


_KNOWN_METHODS = frozenset(
    {
        "state_dict", "load_state_dict", "named_parameters", "named_modules", "named_children",
        "modules", "children", "apply", "register_buffer", "buffers", "named_buffers", "extra_repr",
        "register_forward_hook", "register_parameter", "get_submodule", "get_parameter", "type",
        "share_memory", "bfloat16", "compile", "add_module",
    }
)  # fmt: skip
"""Methods of every module, none of which computes with the model."""
