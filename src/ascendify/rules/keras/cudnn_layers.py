"""cuDNN recurrent layers: replace them by the plain layers that compute the same."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Site, Status
from ascendify.rules.kit.callees import is_direct
from ascendify.source.nodes import is_called
from ascendify.source.scopes import scope_of

RULE = Rule(
    code="TF1-KERAS-6",
    title="Use LSTM and GRU instead of the cuDNN layers",
    why="CuDNNLSTM and CuDNNGRU call kernels that exist on NVIDIA GPUs only.",
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="x = tf.keras.layers.CuDNNGRU(64, return_sequences=True)(x)",
    after=(
        "x = tf.keras.layers.GRU(64, return_sequences=True, recurrent_activation='sigmoid', "
        "reset_after=True)(x)"
    ),
    safety=(
        "The arguments added make the plain layer compute what the cuDNN layer does. Its weights "
        "have another layout: .h5 files are converted when loaded, TensorFlow checkpoints are not."
    ),
)

_PLAIN = {
    "tf.keras.layers.CuDNNLSTM": ("LSTM", ("recurrent_activation='sigmoid'",)),
    "tf.keras.layers.CuDNNGRU": ("GRU", ("recurrent_activation='sigmoid'", "reset_after=True")),
}
"""cuDNN layers, with the arguments that make the plain layers the same function."""


@RULE.call(*_PLAIN)
def replace_layer(site: CallSite) -> Diagnoses:
    """Use the plain layer, with the arguments that make it the same function."""
    plain, added = _PLAIN[site.name]
    func, args = site.node.func, site.args
    if args.starred or args.surplus or not is_direct(site.file, func):
        yield _by_hand(site, site.callee)
        return
    fix = site.fix()
    if isinstance(func, ast.Attribute):
        end = site.file.module.end(func)
        fix.replace_range(end - len(func.attr), end, plain)
    else:
        fix.replace(func, _imported(site, plain) or fix.use("tensorflow.keras.layers", plain))
    for argument in site.args:
        if argument.name != "units":
            fix.name_argument(argument)
    fix.add_argument(site.node, ", ".join(added))
    yield RULE.auto_check(
        site,
        f"{site.callee} runs on NVIDIA GPUs only",
        done=f"Replaced it by {plain} with {' and '.join(added)}.",
        todo="Load old weights from an .h5 file; TensorFlow checkpoints of this layer do not fit.",
        fix=fix,
    )


@RULE.reference(*_PLAIN)
def report_other_uses(site: Site) -> Diagnoses:
    """A layer class that is passed on or inherited from."""
    if not is_called(site.node):
        yield _by_hand(site, site.text)


def _by_hand(site: Site, shown: str) -> Diagnosis:
    plain, added = _PLAIN[site.name]
    return RULE.manual(
        site,
        f"{shown} runs on NVIDIA GPUs only",
        todo=f"Use {plain} with {' and '.join(added)}, which computes the same.",
    )


def _imported(site: CallSite, plain: str) -> str | None:
    """The name under which the file already has the plain layer, native keras included."""
    file, module = site.file, site.file.module.index.module
    for local, bindings in module.bindings.items():
        if any(item.kind == "import" and item.origin.endswith(f".{plain}") for item in bindings):
            found = [file.resolver.knowledge.canonical(item.origin) for item in bindings]
            if found == [f"tf.keras.layers.{plain}"] and scope_of(site.node).find(local) is module:
                return local
    return None
