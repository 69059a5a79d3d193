"""The switches for repeatable results are cuDNN's; an NPU has torch's own."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-RAND-2",
    title="Ask for repeatable results in the way an NPU understands",
    why=(
        "torch.backends.cudnn.deterministic is accepted and ignored: an NPU goes by "
        "torch.use_deterministic_algorithms and, among devices, by HCCL_DETERMINISTIC. Random "
        "numbers themselves differ from those of a GPU with the same seed."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="torch.backends.cudnn.deterministic = True",
)
_FLAG = "torch.backends.cudnn.deterministic"


@RULE.store(_FLAG)
def tell(site: Site) -> Diagnoses:
    """Nothing to do where the program asks torch itself too."""
    file = site.file
    spelled = site.brief
    statement = site.statement
    value = statement.value if isinstance(statement, ast.Assign) else None
    literal = None if value is None else file.literal(value)
    asked = next(file.calls("torch.use_deterministic_algorithms"), None) is not None
    if asked or (literal is not None and not any(literal)):
        yield RULE.info(site, f"{spelled} has no effect on an NPU")
        return
    yield RULE.manual(
        site,
        f"{spelled} asks cuDNN for repeatable results and has no effect on an NPU",
        todo=advice.text("reproducible-torch"),
    )
