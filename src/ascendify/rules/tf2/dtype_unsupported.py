"""Element types no NPU computes in: 64-bit floating point and complex numbers."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, File, Rule, Site, Status
from ascendify.rules.kit.bindings import values as values_of
from ascendify.rules.kit.callees import is_direct
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tensorflow import dtypes, host
from ascendify.rules.tf2 import _traced
from ascendify.source.nodes import function_around, is_literal
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-DATA-2",
    title="Keep 64-bit floats, complex numbers and strings out of the model",
    why=(
        "float64, complex64, complex128 and strings are not supported in a function on an NPU. The "
        "input pipeline runs on the host and may use them."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL, Status.BLOCKER),
    foretells=("EMU-TYPE-1", "EMU-TYPE-2"),
    before="tf.keras.backend.set_floatx('float64')",
    after="tf.keras.backend.set_floatx('float32')",
    safety="Layers compute in float32; compare the loss with that of the original.",
)

_SAFE = (
    "tf2.io.", "tf2.data.", "tf2.test.", "tf2.dtypes.", "tf2.TensorSpec", "tf2.debugging.",
    "tf2.train.Feature",
)  # fmt: skip
"""Beginnings of calls whose element type is the host's business."""
_SPECTRAL = (
    "tf2.complex",
    *(f"tf2.signal.{i}{r}fft{n}" for i in ("", "i") for r in ("", "r") for n in ("", "2d", "3d")),
    *(
        f"tf2.signal.{name}"
        for name in ("stft", "inverse_stft", "dct", "idct", "mfccs_from_log_mel_spectrograms")
    ),
)  # fmt: skip
_STRINGS = ("tf2.strings.*",)
_DOUBLES = frozenset(
    {
        *(f"numpy.random.{name}" for name in (
            "rand", "randn", "normal", "uniform", "random", "random_sample", "standard_normal",
        )),
        "numpy.zeros", "numpy.ones", "numpy.empty", "numpy.linspace", "numpy.eye",
    }
)  # fmt: skip
"""Functions of numpy that return float64 by default."""
_TYPED = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty"})
"""Those of them whose second argument is the type."""
_INPUTS = (
    "tf2.constant", "tf2.convert_to_tensor", "tf2.Variable",
    "tf2.data.Dataset.from_tensor_slices", "tf2.data.Dataset.from_tensors",
)  # fmt: skip


@RULE.reference(
    *(f"tf2.{name}" for name in dtypes.UNSUPPORTED),
    *(f"numpy.{name}" for name in (*dtypes.UNSUPPORTED, "double", "complex_")),
)
def report_argument(site: Site) -> Diagnoses:
    """A type that is an argument of a TensorFlow call."""
    kind = dtypes.named(site.file, site.node)
    call = dtypes.taking_call(site.node)
    if kind in dtypes.UNSUPPORTED and call is not None:
        yield from _tell(site.file, call, site.node, kind)


@RULE.file
def report_string(file: File) -> Diagnoses:
    """A type that is spelled as a string: ``dtype='float64'``."""
    for call, value, kind in dtypes.unsupported_strings(file):
        yield from _tell(file, call, value, kind)


@RULE.call("tf2.cast", "tf2.constant", "tf2.Variable")
def report_positional_string(site: CallSite) -> Diagnoses:
    """Report a type given by position: ``tf.cast(x, 'float64')``."""
    given = dtypes.unsupported_position(site)
    if given is not None:
        yield from _tell(site.file, site.node, *given)


@RULE.call("tf2.keras.backend.set_floatx", "tf.keras.backend.set_floatx")
def set_default(site: CallSite) -> Diagnoses:
    """The element type of every layer."""
    value = site.node.args[0] if site.node.args else site.args.value("value")
    if value is None or site.file.literal(value) != ("float64",) or in_test(site.file, site.node):
        return
    found = f"{site.brief} makes every layer compute in float64, which no NPU does"
    if not isinstance(value, ast.Constant):
        yield RULE.manual(site, found, todo="Set 'float32'.")
        return
    fix = site.fix()
    fix.replace(value, site.file.quoted("float32", value))
    yield RULE.auto_check(
        site,
        found,
        done="Set 'float32'.",
        todo=(
            "Cast to float32 wherever the program casts to float64, load float64 weights with "
            "astype, and compare the loss with that of the original."
        ),
        fix=fix,
    )


@RULE.call(*_SPECTRAL)
def report_spectral(site: CallSite) -> Diagnoses:
    """Report Fourier transforms and what is built on them."""
    status = Status.BLOCKER if _in_model(site.file, site.node) else Status.MANUAL
    diagnosis = RULE.finding(
        status,
        site,
        f"{site.callee} computes with complex numbers, which no NPU supports",
        todo=(
            "Compute it in Dataset.map, which runs on the host, or write the transform as a "
            "matrix product with its real and imaginary part."
        ),
        effort=Effort.HOURS,
    )
    yield from host.in_network(site.file, site.node, diagnosis)


@RULE.call(*_INPUTS)
def report_doubles(site: CallSite) -> Diagnoses:
    """Report arrays of numpy that are float64 by default."""
    file = site.file
    given = site.node.args[0] if site.node.args else None
    dtype = site.args.value("dtype")
    if (
        given is None
        or in_test(file, site.node)
        or (dtype is not None and not is_literal(dtype, None))
    ):
        return
    items = given.elts if isinstance(given, ast.Tuple) else [given]
    for item in items:
        made = _made_by(file, item)
        if made is not None:
            diagnosis = RULE.manual(
                site.at(item),
                f"{file.brief(item, 40)} is an array of float64, as {made} makes it, which no NPU "
                "computes with",
                todo=f"Give {file.brief(item, 40)}.astype('float32').",
            )
            yield from host.in_network(file, site.node, diagnosis)


def _made_by(file: File, node: ast.expr) -> str | None:
    """The function of numpy that made an array of float64."""
    values = [node] if isinstance(node, ast.Call) else list(values_of(file, node))
    for value in values:
        if not isinstance(value, ast.Call) or file.name(value.func) not in _DOUBLES:
            return None
        if any(keyword.arg == "dtype" for keyword in value.keywords):
            return None
        if file.name(value.func) in _TYPED and len(value.args) > 1:
            return None  # a type by position
        if not _has_size(file, value):
            return None  # a single number, which becomes float32
    return file.brief(values[0].func) if values and isinstance(values[0], ast.Call) else None


def _has_size(file: File, call: ast.Call) -> bool:
    """Whether a call makes an array and not one number."""
    last = (file.name(call.func) or "").rpartition(".")[2]
    needed = 3 if last in ("normal", "uniform") else 1
    return len(call.args) >= needed or any(item.arg in ("size", "shape") for item in call.keywords)


@RULE.call("tf2.range", "tf2.keras.backend.arange")
def report_quotient(site: CallSite) -> Diagnoses:
    """``tf.range(0, n) / n``: TensorFlow divides whole numbers in float64."""
    file, around = site.file, parent(site.node)
    if not isinstance(around, ast.BinOp) or not isinstance(around.op, ast.Div):
        return
    if around.left is not site.node or in_test(file, site.node) or not _is_whole(site):
        return
    diagnosis = RULE.manual(
        site.at(around),
        f"{file.brief(around, 40)} divides whole numbers, which gives float64, and no NPU "
        "computes with that",
        todo=f"Divide tf.cast({file.brief(site.node, 40)}, tf.float32).",
    )
    yield from host.in_network(file, site.node, diagnosis)


def _is_whole(site: CallSite) -> bool:
    """Whether a range surely has whole numbers."""
    dtype = site.args.value("dtype")
    if dtype is not None:
        return "int" in site.file.text(dtype)
    numbers = [site.file.literal(item) for item in site.node.args]
    known = [value for values in numbers if values is not None for value in values]
    if site.name.endswith(".arange"):
        return True  # its type is int32 whatever it is given
    return bool(known) and all(isinstance(value, int) for value in known)


@RULE.call(*_STRINGS)
def report_strings(site: CallSite) -> Diagnoses:
    """Operators on strings in a layer or a step.

    A function that only generates, say, is split: its operators on strings run on the host.
    """
    file, node = site.file, site.node
    if not _in_model(file, node):
        return
    traced = _traced.around(file.resolver, file.module, node)
    generates = traced is not None and not _traced.trains(traced)
    diagnosis = RULE.finding(
        Status.MANUAL if generates else Status.BLOCKER,
        site,
        f"{site.callee} computes with strings inside the model, which no NPU supports",
        todo="Do it in Dataset.map, which runs on the host, and give the model numbers.",
        effort=Effort.HOURS,
    )
    yield from host.in_network(file, node, diagnosis)


def _in_model(file: File, node: ast.AST) -> bool:
    """Whether a node is in the code of a layer, or in a function that is traced."""
    if _traced.around(file.resolver, file.module, node) is not None:
        return True
    return getattr(function_around(node), "name", "") in ("call", "train_step", "test_step")


def _tell(file: File, call: ast.Call, at: ast.AST, kind: str) -> Diagnoses:
    names, _ = file.names(call.func)
    if not any(name.startswith("tf2.") for name in names):
        return
    if any(name.startswith(_SAFE) for name in names) or not is_direct(file, call.func):
        return
    yield from host.in_network(file, call, _of_type(file, call, at, kind))


def _of_type(file: File, call: ast.Call, at: ast.AST, kind: str) -> Diagnosis:
    """Whether an operator runs outside of functions, thus on the host, where its type may stay."""
    inside = _in_model(file, call) or "keras.layers" in (file.name(call.func) or "")
    return RULE.finding(
        Status.BLOCKER if inside else Status.MANUAL,
        file.at(at),
        f"{file.brief(call.func)} makes a {kind} tensor, which no NPU supports",
        todo=dtypes.advice(kind),
        effort=Effort.MINUTES if kind == "float64" else Effort.HOURS,
    )
