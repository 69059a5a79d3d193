"""hvd.rank() and its kin: the launcher's variables say who a process is."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import Diagnoses, Rule, Site, Status
from ascendify.rules.tf2._graphs import outside_graphs
from ascendify.source.nodes import is_called
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-HVD-3",
    title="Read rank and size from the launcher's variables",
    why=(
        "Without Horovod nobody answers hvd.rank(). Whoever starts the processes sets RANK_ID, "
        "RANK_SIZE and ASCEND_DEVICE_ID for each of them."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK),
    before="dataset = dataset.shard(hvd.size(), hvd.rank())",
    after=(
        "dataset = dataset.shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))"
    ),
    safety="A script that is started without these variables is rank 0 of 1.",
)

_VARIABLES = {
    f"{_horovod.TF}.rank": ("RANK_ID", "0"),
    f"{_horovod.TF}.size": ("RANK_SIZE", "1"),
    f"{_horovod.TF}.local_rank": ("ASCEND_DEVICE_ID", "0"),
    f"{_horovod.TF}.local_size": ("LOCAL_WORLD_SIZE", "1"),
}
_CHECKS = {
    "local_size": (
        "ascendify launch sets LOCAL_WORLD_SIZE; set it in scripts of your own, to the number of "
        "devices of the server."
    ),
}


@RULE.reference(*_VARIABLES)
@outside_graphs
def read_environment(site: Site) -> Diagnoses:
    """``hvd.rank()``, called or passed on."""
    if not _horovod.is_direct(site.file, site.node):
        return
    variable, default = _VARIABLES[site.name]
    last = site.name.rpartition(".")[2]
    fix = site.fix()
    answer = f"int({fix.use('os')}.getenv('{variable}', '{default}'))"
    whole: ast.AST = parent(site.node)
    if is_called(site.node):
        fix.replace(whole, answer)
    else:
        whole = site.node
        fix.replace(whole, _function(answer))
    shown = site.file.brief(whole)
    yield RULE.fixed(
        site.at(whole),
        f"{shown} is a query to Horovod",
        done=f"Replaced {shown} by {answer}.",
        todo=_CHECKS.get(last, ""),
        fix=fix,
    )


def _function(answer: str) -> str:
    return f"(lambda: {answer})"
