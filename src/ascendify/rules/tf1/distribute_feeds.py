"""Training loops that feed batches: give every device its share of each batch."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Fix, MethodSite, Rule, Status, names
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.kit.ranks import tells_ranks
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf1 import _distributed, _sharding
from ascendify.source.flow import backward
from ascendify.source.nodes import is_called, keyword_value, last_name, position

_SHARE = '''\
def {{name}}(feed):
{indent}"""Take the share of this rank of every fed batch; with one rank all of it."""
{indent}size, rank = int({os}.getenv("RANK_SIZE", "1")), int({os}.getenv("RANK_ID", "0"))
{indent}if size < 2 or not feed:
{indent}{indent}return feed
{indent}batches = [
{indent}{indent}key for key, value in feed.items() if isinstance(key, {tf}.Tensor)
{indent}{indent}and (key.shape.ndims is None or key.shape.as_list()[:1] == [None])
{indent}{indent}and getattr(value, "shape", True) != () and hasattr(value, "__len__")]
{indent}lengths = set(len(feed[key]) for key in batches)
{indent}if len(lengths) != 1 or lengths.pop() % size:
{indent}{indent}{warnings}.warn("a fed batch is not divided: every rank trains on all of it")
{indent}{indent}return feed
{indent}shared = dict(feed)
{indent}shared.update((key, feed[key][rank::size]) for key in batches)
{indent}return shared'''
RULE = Rule(
    code="TF1-DIST-7",
    title="Divide the batches that a training loop feeds among the devices",
    why=(
        "One process trains on each device, and every one of them runs the whole loop. Devices "
        "that are all fed the same batches train no faster than one."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "images = tf.placeholder(tf.float32, [None, 784])\n"
        "sess.run(train_op, feed_dict={images: batch})"
    ),
    after=(
        "images = tf.placeholder(tf.float32, [None, 784])\n\n\n"
        + _SHARE.format(os="os", tf="tf", warnings="warnings", indent="    ").format(
            name="npu_share"
        )
        + "\n\n\n"
        "sess.run(train_op, feed_dict=npu_share({images: batch}))"
    ),
    safety=(
        "The batch size is that of all devices together, so steps, epochs and the learning rate "
        "stay as they are. A batch whose size is no multiple of the number of devices is trained "
        "on as a whole by every device, which gives the same average; a warning says so."
    ),
)

_NAME = "npu_share"
_STEP = re.compile(r"train|optim|minimi[sz]e|update|solver|apply_grad", re.I)
_NO_STEP = re.compile(r"loss|acc|summar|cost|err|metric|merged|writer", re.I)
"""Parts of names that belong to numbers about the training rather than to its step."""
_STEPS = frozenset({"minimize", "apply_gradients", "create_train_op", "optimize_loss"})
_CHECK = (
    "Ranks must read samples in one order: give NumPy and random one seed for all. The first "
    "dimension of what is fed must be that of samples. The batch size is that of all devices: to "
    "give each of them more work, raise it, and the learning rate with it."
)
_DEPTH = 4


@RULE.method("run", where=is_called)
def share_feed(site: MethodSite) -> Diagnoses:
    """Divide what a run with a training step is fed."""
    file, call = site.file, site.call
    if call is None or not _distributed.is_strategy_run(file) or in_test(file, call):
        return
    feed = _feed(file, call)
    if feed is None or file.literal(feed) == (None,) or _is_divided(file, call, feed):
        return
    found = f"{file.brief(call.func)} feeds the same batch on every device"
    fixed = _fixed(file, feed)
    if fixed is not None:
        yield RULE.manual(
            file.at(call),
            found,
            todo=(
                f"{fixed} has a fixed batch size: divide it by int(os.getenv('RANK_SIZE', '1')), "
                "and feed the samples [rank::size] of each batch with rank = "
                "int(os.getenv('RANK_ID', '0'))."
            ),
        )
        return
    fix = site.fix()
    function = _helper(fix, call)
    fix.wrap(feed, f"{function}(")
    todo = _CHECK if _is_first(file, call) else ""
    done = f"Gave every device its share of the batch, with {function}()."
    yield RULE.fixed(file.at(call), found, done=done, todo=todo, fix=fix)


def _helper(fix: Fix, node: ast.AST) -> str:
    text = _SHARE.format(
        os=fix.use("os"),
        warnings=fix.use("warnings"),
        tf=names.tensorflow(fix, fix.module.tree),
        indent=fix.indent_unit,
    )
    return fix.define(text, _NAME, node)


def _feed(file: File, call: ast.Call) -> ast.expr | None:
    """What a run of a training step is fed: ``sess.run(step, feed)`` or ``step.run(feed)``."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    given = keyword_value(call, "feed_dict")
    if _is_step(file, owner, _DEPTH):
        return given if given is not None or not call.args else call.args[0]
    fetches = call.args[0] if call.args else keyword_value(call, "fetches")
    if fetches is None or not _has_step(file, fetches):
        return None
    return given if given is not None or len(call.args) < 2 else call.args[1]


def _has_step(file: File, fetches: ast.expr) -> bool:
    """Whether a training step is among what a run fetches."""
    if isinstance(fetches, (ast.List, ast.Tuple, ast.Set)):
        return any(_has_step(file, item) for item in fetches.elts)
    if isinstance(fetches, ast.Dict):
        return any(_has_step(file, item) for item in fetches.values)
    if isinstance(fetches, ast.BinOp):
        return _has_step(file, fetches.left) or _has_step(file, fetches.right)
    return _is_step(file, fetches, _DEPTH)


def _is_step(file: File, node: ast.expr, depth: int) -> bool:
    """Whether an expression is a training step, by what it is assigned or by its name."""
    if depth == 0 or not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return False
    if isinstance(node, ast.Call):
        return last_name(node.func) in _STEPS
    if isinstance(node, ast.Subscript):
        return _named_like_step(last_name(node.value))
    for module, binding in bindings(file.resolver, file.module, node):
        value = backward.assigned(binding)
        if value is None:
            continue
        if isinstance(value, ast.Call) and last_name(value.func) in _STEPS:
            return True
        if isinstance(value, (ast.List, ast.Tuple)) and module is file.module:
            return any(_is_step(file, item, depth - 1) for item in value.elts)
    return _named_like_step(last_name(node))


def _named_like_step(name: str) -> bool:
    return _STEP.search(name) is not None and _NO_STEP.search(name) is None


def _is_divided(file: File, call: ast.Call, feed: ast.expr) -> bool:
    """Whether the loop or its data depend on the rank already."""
    if isinstance(feed, ast.Call) and last_name(feed.func).startswith(_NAME):
        return True
    return tells_ranks(file, feed) or _sharding.is_sharded(CallSite(file, call, "tf.Session.run"))


def _is_first(file: File, call: ast.Call) -> bool:
    """Whether this is the first such run of its file: what to check is said once."""
    return not any(
        position(other) < position(call) and _feed(file, other) is not None
        for other in file.module.index.calls_by_name.get("run", ())
    )


def _fixed(file: File, feed: ast.expr) -> str | None:
    """A placeholder of the feed whose first dimension is fixed; None where none is seen.

    Of a feed that another function makes, the file's placeholders say it, if none is open.
    """
    if isinstance(feed, ast.Dict):
        fed = [key for key in feed.keys if key is not None and _is_fixed(file, _made(file, key))]
        return file.brief(fed[0]) if fed else None
    made = [site.node for site in file.calls("tf.placeholder")]
    fixed = [_is_fixed(file, call) for call in made]
    shown = [call for call, is_fixed in zip(made, fixed) if is_fixed]
    return file.brief(shown[0]) if shown and False not in fixed else None


def _made(file: File, key: ast.expr) -> ast.expr | None:
    """What makes the placeholder that is fed, where the file shows it."""
    for module, binding in bindings(file.resolver, file.module, key):
        if module is file.module:
            return backward.assigned(binding)
    return None


def _is_fixed(file: File, node: ast.expr | None) -> bool | None:
    """Whether a placeholder has a fixed first dimension; None for one without dimensions."""
    if not isinstance(node, ast.Call) or file.name(node.func) != "tf.placeholder":
        return None
    shape = CallSite(file, node, "tf.placeholder").args.value("shape")
    while isinstance(shape, ast.BinOp):
        shape = shape.left  # (batch,) + size
    if not isinstance(shape, (ast.List, ast.Tuple)):
        return None if shape is None else False
    if not shape.elts:
        return None
    first = file.literal(shape.elts[0])
    return first is None or None not in first
