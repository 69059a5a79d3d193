"""Private modules of TensorFlow 2, which other releases lack or have under other names."""

from __future__ import annotations

import ast

from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE
from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TF2-API-6",
    title="Know which private modules of TensorFlow a program needs",
    why=(
        "The adapter is built for one release of TensorFlow. A module below tensorflow.python is "
        "private: another release may have it elsewhere or not at all, and what npu_device "
        "replaces in TensorFlow's public functions does not reach copies that are imported from "
        "there."
    ),
    statuses=(Status.INFO,),
    before="from tensorflow.python.ops import array_ops",
)

_KERAS = "tensorflow.python.keras"
_PRIVATE = ("tensorflow.python.", "tensorflow.core.", "tensorflow.compiler.")


@RULE.file
def report_private(file: File) -> Diagnoses:
    """Report statements that import a private module; public names exist for those of Keras."""
    for node in file.module.index.imports:
        from_module = isinstance(node, ast.ImportFrom) and not node.level and node.module
        modules = [from_module] if from_module else [alias.name for alias in node.names]
        private = [name for name in modules if f"{name}.".startswith(_PRIVATE)]
        if not private or any(f"{name}.".startswith(f"{_KERAS}.") for name in private):
            continue
        yield RULE.info(
            file.at(node),
            f"{file.brief(node)} imports a private module of TensorFlow",
            todo=(
                f"Check that TensorFlow {TENSORFLOW2_RELEASE} has {private[0]}, and use a public "
                "name where there is one."
            ),
        )
