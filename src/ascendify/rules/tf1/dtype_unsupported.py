"""Element types that no NPU computes in: report 64-bit floats and complex numbers."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Site, Status
from ascendify.rules.tf1 import _dtypes, _host
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-TYPE-1",
    title="Keep 64-bit floats and complex numbers out of the network",
    why=(
        "float64, complex64 and complex128 are not supported in a network on an NPU; the graph "
        "fails to compile. The input pipeline runs on the host and may use them."
    ),
    statuses=(Status.BLOCKER,),
    before="x = tf.cast(x, tf.float64)",
)

_UNSUPPORTED = ("float64", "complex64", "complex128")
_SAFE = (
    "tf.decode_raw", "tf.io.", "tf.parse_", "tf.data.", "tf.python_io.", "tf.test.", "tf.dtypes.",
)  # fmt: skip
"""Beginnings of the names of functions that run on the host."""
_SPECTRAL = (
    "tf.complex",
    *(f"tf.{i}fft{n}" for i in ("", "i") for n in ("", "2d", "3d")),
    *(f"tf.signal.{i}rfft{n}" for i in ("", "i") for n in ("", "2d", "3d")),
    *(f"tf.{i}rfft{n}" for i in ("", "i") for n in ("", "2d", "3d")),
    *(
        f"tf.{where}.{name}"
        for where in ("signal", "contrib.signal")
        for name in ("stft", "inverse_stft", "dct", "idct", "mfccs_from_log_mel_spectrograms")
    ),
)  # fmt: skip
"""Functions that compute with complex numbers internally, whatever they take and return."""
_CASTS = {
    "tf.to_double": "float64",
    "tf.to_complex64": "complex64",
    "tf.to_complex128": "complex128",
}


@RULE.reference(
    *(
        f"{root}.{name}"
        for root in ("tf", "numpy")
        for name in (*_UNSUPPORTED, "double", "complex_")
    )
)
def report_argument(site: Site) -> Diagnoses:
    """A type that is an argument of a TensorFlow call."""
    kind = _dtypes.named(site.file, site.node)
    call = _call_of(site.node)
    if kind not in _UNSUPPORTED or call is None:
        return
    yield from _report(site.file, call, site.node, kind)


@RULE.file
def report_string(file: File) -> Diagnoses:
    """A type that is spelled as a string: ``dtype='float64'``."""
    for call in file.module.index.calls:
        for keyword in call.keywords:
            value = keyword.value
            if keyword.arg == "dtype" and isinstance(value, ast.Constant):
                kind = _dtypes.named(file, value)
                if kind in _UNSUPPORTED:
                    yield from _report(file, call, value, kind)


@RULE.call("tf.placeholder", "tf.cast", "tf.constant", "tf.Variable", "tf.get_variable")
def report_positional_string(site: CallSite) -> Diagnoses:
    """The same by position: ``tf.placeholder('float64')``."""
    given = site.args.get("dtype")
    if given is None or given.keyword is not None or not isinstance(given.value, ast.Constant):
        return
    kind = _dtypes.named(site.file, given.value)
    if kind in _UNSUPPORTED:
        yield from _report(site.file, site.node, given.value, kind)


@RULE.call(*_CASTS)
def report_cast(site: CallSite) -> Diagnoses:
    """Casts by name."""
    yield from _report(site.file, site.node, site.node, _CASTS[site.name])


@RULE.call("tf.keras.backend.set_floatx", "keras.backend.set_floatx")
def report_default(site: CallSite) -> Diagnoses:
    """The element type of every layer."""
    value = site.node.args[0] if site.node.args else site.args.value("value")
    if value is not None and site.file.literal(value) == ("float64",):
        yield RULE.blocker(
            site,
            f"{site.brief} makes every layer compute in float64",
            todo="Set 'float32', and load float64 weights through numpy's astype.",
            effort=Effort.MINUTES,
        )


@RULE.call(*_SPECTRAL)
def report_spectral(site: CallSite) -> Diagnoses:
    """Fourier transforms and what is made of them."""
    file = site.file
    yield from _host.in_network(
        file,
        site.node,
        RULE.blocker(
            site,
            f"{site.callee} computes with complex numbers, which no NPU supports",
            todo=(
                "Compute it in Dataset.map, which runs on the host; or keep it under `with "
                "npu_scope.without_npu_compile_scope():` of npu_bridge.estimator.npu and migrate "
                "with --npu mix_compile_mode=true; or write the transform as a matrix product "
                "with its real and imaginary part."
            ),
            effort=Effort.HOURS,
        ),
    )


def _report(file: File, call: ast.Call, at: ast.AST, kind: str) -> Diagnoses:
    names, _ = file.names(call.func)
    if not any(name.startswith(("tf.", "keras.")) for name in names) or any(
        name.startswith(_SAFE) for name in names
    ):
        return
    real = kind == "float64"
    diagnosis = RULE.blocker(
        file.at(at),
        f"{file.brief(call.func)} makes a {kind} tensor, which no NPU supports",
        todo=(
            "Use tf.float32; values that need 64 bits belong in the input pipeline."
            if real
            else "Keep real and imaginary part as two float32 tensors, or compute in Dataset.map."
        ),
        effort=Effort.MINUTES if real else Effort.HOURS,
    )
    yield from _host.in_network(file, call, diagnosis)


def _call_of(node: ast.AST) -> ast.Call | None:
    """The call an expression is an argument of, through lists, tuples and keywords."""
    child, owner = node, parent(node)
    while isinstance(owner, (ast.List, ast.Tuple, ast.keyword)):
        child, owner = owner, parent(owner)
    return owner if isinstance(owner, ast.Call) and child is not owner.func else None
