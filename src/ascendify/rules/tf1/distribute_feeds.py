"""Training loops that feed batches: give every device its share of each batch."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, File, Fix, MethodSite, Rule, Status, names
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.kit.ranks import tells_ranks
from ascendify.rules.kit.tests import in_test, outside_tests
from ascendify.rules.tf1 import _distributed, _same_order, _sharding
from ascendify.rules.tf1._batch_sizes import built_for
from ascendify.rules.tf1._steps import is_step, runs_step
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
        _same_order.TEXT.format(
            os="os", random="random", numpy="numpy", seed=_same_order.SHARED_SEED, indent="    "
        )
        + "\n\nimages = tf.placeholder(tf.float32, [None, 784])\n\n\n"
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
_READ_MNIST = "tf.examples.tutorials.mnist.input_data.read_data_sets"
"""Gives NumPy a seed of its own."""
_CHECK = (
    "Ranks must read samples in one order: random and NumPy begin with one seed on all of them. "
    "The first dimension of what is fed must be that of samples. The batch size is that of all "
    "devices: to give each of them more work, raise it, and the learning rate with it."
)


@RULE.method("run", where=is_called)
def share_feed(site: MethodSite) -> Diagnoses:
    """Divide the values that a run with a training step is fed."""
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
    built = built_for(file)
    if built:
        yield RULE.manual(
            file.at(call),
            found,
            todo=(
                f"The graph is built for one batch size: {built}. Take it from the fed tensor, "
                "tf.shape(x)[0], and run the migration again; or let every process read other "
                "samples, with a seed of its own."
            ),
            cause=built,
        )
        return
    fix = site.fix()
    function = _helper(fix, call)
    fix.wrap(feed, f"{function}(")
    todo = ""
    if _is_first(file, call):
        todo = _CHECK
        if not any(file.calls(_READ_MNIST)):
            _same_order.insert_behind_imports(file, fix)
    done = f"Gave every device its share of the batch, with {function}()."
    yield RULE.fixed(file.at(call), found, done=done, todo=todo, fix=fix)


@RULE.call(_READ_MNIST)
@outside_tests
def seed_again(site: CallSite) -> Diagnoses:
    """TensorFlow's reader of MNIST gives NumPy a seed from the system: give it ours again."""
    file = site.file
    if not _distributed.is_strategy_run(file) or "seed" in site.args or site.args.starred:
        return
    seeded = _same_order.is_seeded(file) or any(file.calls("tf.set_random_seed"))
    if tells_ranks(file, site.node) or seeded:
        return
    fix = site.fix()
    fix.insert_after(site.node, _same_order.statements(fix))
    found = f"{site.callee} lets every rank shuffle in an order of its own"
    yield RULE.auto(site, found, done="Gave random and NumPy one seed on all ranks.", fix=fix)


def _helper(fix: Fix, node: ast.AST) -> str:
    text = _SHARE.format(
        os=fix.use("os"),
        warnings=fix.use("warnings"),
        tf=names.tensorflow(fix, fix.module.tree),
        indent=fix.indent_unit,
    )
    return fix.define(text, _NAME, node)


def _feed(file: File, call: ast.Call) -> ast.expr | None:
    """The feed of a training step: ``sess.run(step, feed)`` or ``step.run(feed)``."""
    if not runs_step(file.resolver, file.module, call, named=True):
        return None
    given = keyword_value(call, "feed_dict")
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    place = 0 if is_step(file.resolver, file.module, owner, named=True) else 1
    return given if given is not None or len(call.args) <= place else call.args[place]


def _is_divided(file: File, call: ast.Call, feed: ast.expr) -> bool:
    """Whether the loop or its data depend on the rank already."""
    if isinstance(feed, ast.Call) and last_name(feed.func).startswith(_NAME):
        return True
    return tells_ranks(file, feed) or _sharding.is_sharded(CallSite(file, call, "tf.Session.run"))


def _is_first(file: File, call: ast.Call) -> bool:
    """Whether this is the first such run of its file; only that one says what to check."""
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
    """The call that makes the placeholder that is fed, if the file shows it."""
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
