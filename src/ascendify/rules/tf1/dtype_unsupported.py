"""Element types that no NPU computes in: report 64-bit floats and complex numbers."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Site, Status
from ascendify.rules.tensorflow import dtypes, host

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
        for name in (*dtypes.UNSUPPORTED, "double", "complex_")
    )
)
def report_argument(site: Site) -> Diagnoses:
    """A type that is an argument of a TensorFlow call."""
    kind = dtypes.named(site.file, site.node)
    call = dtypes.taking_call(site.node)
    if kind not in dtypes.UNSUPPORTED or call is None:
        return
    yield from _report(site.file, call, site.node, kind)


@RULE.file
def report_string(file: File) -> Diagnoses:
    """A type that is spelled as a string: ``dtype='float64'``."""
    for call, value, kind in dtypes.unsupported_strings(file):
        yield from _report(file, call, value, kind)


@RULE.call("tf.placeholder", "tf.cast", "tf.constant", "tf.Variable", "tf.get_variable")
def report_positional_string(site: CallSite) -> Diagnoses:
    """Report a type given by position: ``tf.placeholder('float64')``."""
    given = dtypes.unsupported_position(site)
    if given is not None:
        yield from _report(site.file, site.node, *given)


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
    """Report Fourier transforms and what is built on them."""
    file = site.file
    yield from host.in_network(
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
            cause=file.path,
        ),
    )


def _report(file: File, call: ast.Call, at: ast.AST, kind: str) -> Diagnoses:
    names, _ = file.names(call.func)
    if not any(name.startswith(("tf.", "keras.")) for name in names) or any(
        name.startswith(_SAFE) for name in names
    ):
        return
    diagnosis = RULE.blocker(
        file.at(at),
        f"{file.brief(call.func)} makes a {kind} tensor, which no NPU supports",
        todo=dtypes.advice(kind),
        effort=Effort.MINUTES if kind == "float64" else Effort.HOURS,
        cause=f"{file.path} {kind}",
    )
    yield from host.in_network(file, call, diagnosis)
