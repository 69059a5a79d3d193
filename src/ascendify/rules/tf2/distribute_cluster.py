"""TF_CONFIG: ranks on NPUs find each other in another way."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Site, Status, environment, removal

RULE = Rule(
    code="TF2-DIST-7",
    title="Leave out TF_CONFIG",
    why=(
        "TF_CONFIG tells the strategies of TensorFlow which workers there are. On NPUs the "
        "launcher sets RANK_ID, RANK_SIZE and RANK_TABLE_FILE; nothing reads TF_CONFIG."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="os.environ['TF_CONFIG'] = json.dumps(cluster)",
    after="",
)

_VARIABLE = "TF_CONFIG"
_PURE = frozenset({"json.dumps"})


@RULE.reference(*environment.REFERENCES)
def remove(site: Site) -> Diagnoses:
    """Statements that set the variable, and expressions that read it."""
    use = environment.use_at(site)
    if use is None or use.variable != _VARIABLE:
        return
    file = site.file
    found = f"{file.brief(use.statement)} serves the strategies of TensorFlow"
    if use.action != "read" and use.is_whole_statement and _is_pure(file, use.value):
        fix = site.fix()
        removal.remove(file, fix, use.statement, lambda item: False)
        yield RULE.auto(
            site.at(use.statement),
            found,
            done="Removed it: the launcher sets RANK_ID, RANK_SIZE and RANK_TABLE_FILE.",
            fix=fix,
        )
        return
    yield RULE.manual(
        site.at(use.statement),
        found,
        todo=(
            "Ask for int(os.getenv('RANK_ID', '0')) where the index of this worker is needed, and "
            "for int(os.getenv('RANK_SIZE', '1')) where their number is."
        ),
    )


def _is_pure(file: File, value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and file.name(value.func) in _PURE and len(value.args) == 1:
        value = value.args[0]
    return value is None or removal.is_pure(file, value)
