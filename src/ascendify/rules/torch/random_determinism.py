"""Report cuDNN's option for reproducible results, which has no effect on an NPU."""

from __future__ import annotations

import ast

from ascendify.catalog import advice
from ascendify.rules.kit import Diagnoses, Rule, Site, Status

RULE = Rule(
    code="TORCH-RAND-2",
    title="Use options for reproducible results that work on an NPU",
    why=(
        "torch.backends.cudnn.deterministic has no effect: an NPU uses "
        "torch.use_deterministic_algorithms and, for communication, HCCL_DETERMINISTIC. Random "
        "numbers differ from those of a GPU with the same seed."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="torch.backends.cudnn.deterministic = True",
)
_FLAG = "torch.backends.cudnn.deterministic"


@RULE.store(_FLAG)
def report_flag(site: Site) -> Diagnoses:
    """Report the flag, unless the program also calls torch's function."""
    file = site.file
    spelled = site.brief
    statement = site.statement
    value = statement.value if isinstance(statement, ast.Assign) else None
    literal = None if value is None else file.literal(value)
    requested = next(file.calls("torch.use_deterministic_algorithms"), None) is not None
    if requested or (literal is not None and not any(literal)):
        yield RULE.info(site, f"{spelled} has no effect on an NPU")
        return
    yield RULE.manual(
        site,
        f"{spelled} makes cuDNN reproducible and has no effect on an NPU",
        todo=advice.text("reproducible-torch"),
        cause="cudnn.deterministic",
    )
