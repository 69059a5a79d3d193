"""Tower loops, which build the model once per GPU: build it once."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import in_test_case
from ascendify.rules.tf1 import _towers
from ascendify.source.nodes import FUNCTIONS, last_name
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-TOWER-1",
    title="Build one tower and start one process per device",
    why=(
        "A tower loop puts a copy of the model on every GPU of one process. A process drives one "
        "NPU, so all copies would be built on the same device and slow it down."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.INFO),
    before=(
        "flags.DEFINE_integer('num_gpus', 4, 'GPUs to use')\n"
        "for i in range(FLAGS.num_gpus):\n"
        "    with tf.device('/gpu:%d' % i):\n"
        "        tower_grads.append(opt.compute_gradients(tower_loss()))"
    ),
    after=(
        "flags.DEFINE_integer('num_gpus', 1, 'GPUs to use')\n"
        "for i in range(FLAGS.num_gpus):\n"
        "    with tf.device('/gpu:%d' % i):\n"
        "        tower_grads.append(opt.compute_gradients(tower_loss()))"
    ),
    safety=(
        "The average over one tower is the tower itself. A batch that was split among the GPUs is "
        "now the batch of one device."
    ),
)

_RANGES = frozenset({"range", "xrange"})
_TRAINING = re.compile(r"grad|loss|reuse|tower|minimize", re.I)
"""Parts of names that show that a loop builds the model for training."""
_AVERAGING = re.compile(r"averag|aggregat|all_?reduce|(?:sum|mean|combine)_grad", re.I)
"""Names of functions that average results of towers."""
_BUILDERS = ("tf.layers.", "tf.keras.", "tf.contrib.", "tf.get_variable", "tf.Variable",
             "tf.gradients", "tf.losses.", "tf.nn.rnn", "tf.variable_scope",
             "tf.get_variable_scope", "tf.train.")  # fmt: skip
"""TensorFlow's names that build a model; all others compute with existing values."""
_COLLECTING = frozenset(
    {"append", "extend", "format", "zip", "len", "range", "enumerate", "list", "isinstance", "str",
     "print", "join", "device"}
)  # fmt: skip
"""Calls that only rearrange existing values."""
_RECIPE = (
    "Divide a batch size that was for all GPUs, and the steps of an epoch, by the number of "
    "devices. The loop, its split and its averaging can stay or be removed."
)


@RULE.call("tf.device", "tf.Graph.device")
def one_tower(site: CallSite) -> Diagnoses:
    """Find the loop whose variable chooses the device, and let it run once."""
    file = site.file
    loop = _loop(site)
    if loop is None or not _is_first(file, site, loop) or in_test_case(file, site.node):
        return
    spelled = f"for {file.brief(loop.target)} in {file.brief(loop.iter)}"
    found = f"{spelled} builds a tower for every GPU of one process"
    yield from _towers.set_to_one(
        RULE,
        file,
        site.at(loop.iter),
        found,
        _bound(loop.iter),
        "the number of GPUs",
        f"{_towers.recipe(file)} {_RECIPE}",
    )


def _loop(site: CallSite) -> ast.For | None:
    """The loop whose variable the device depends on and whose body trains."""
    device = site.args.value("device_name_or_function")
    if device is None:
        return None
    for ancestor in ancestors(site.node):
        if isinstance(ancestor, FUNCTIONS):
            return None
        if isinstance(ancestor, ast.For) and _depends(device, ancestor):
            return ancestor if _trains(ancestor) and _builds(site.file, ancestor) else None
    return None


def _depends(device: ast.expr, loop: ast.For) -> bool:
    """Whether the device changes with the loop, directly or through a variable set in it."""
    changing = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign) and _mentions(node.value, changing):
            changing.update(item.id for item in node.targets if isinstance(item, ast.Name))
    return _mentions(device, changing)


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(item, ast.Name) and item.id in names for item in ast.walk(node))


def _trains(loop: ast.For) -> bool:
    return any(_TRAINING.search(last_name(node)) is not None for node in ast.walk(loop))


def _builds(file: File, loop: ast.For) -> bool:
    """Whether a loop builds a model, and does not only average the results of towers."""
    return any(
        isinstance(node, ast.Call) and _may_build(file, node)
        for statement in loop.body
        for node in ast.walk(statement)
    )


def _may_build(file: File, call: ast.Call) -> bool:
    last = last_name(call.func)
    if _AVERAGING.search(last) or last in _COLLECTING:
        return False
    name = file.name(call.func)
    return name is None or not name.startswith("tf.") or name.startswith(_BUILDERS)


def _is_first(file: File, site: CallSite, loop: ast.For) -> bool:
    """Whether this is the first device scope of the loop: one loop, one finding."""
    for call in file.calls("tf.device", "tf.Graph.device"):
        if _loop(call) is loop:
            return call.node is site.node
    return True


def _bound(node: ast.expr) -> ast.expr | None:
    """``n`` of ``range(n)`` or ``range(0, n)``."""
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    if last_name(node.func) not in _RANGES:
        return None
    if len(node.args) == 1:
        return node.args[0]
    first = node.args[0] if len(node.args) == 2 else None
    return node.args[1] if isinstance(first, ast.Constant) and first.value == 0 else None
