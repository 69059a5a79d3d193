"""Lifecycle: report rank queries of programs that never initialise the device."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, once
from ascendify.rules.tf1 import _npu
from ascendify.rules.tf1._same_process import mentioned

RULE = Rule(
    code="TF1-INIT-1",
    title="Initialise the NPU before rank queries",
    why=(
        "Ranks and groups come from HCCL, which is not available before the device is initialised: "
        "earlier get_rank_id() and similar calls fail, and get_npu_rank_id() raises NameError."
    ),
    statuses=(Status.MANUAL,),
    before="from hccl.manage.api import get_rank_id\nrank = get_rank_id()",
)

_RANKS = ("rank_id", "rank_size", "local_rank_id", "local_rank_size")
_QUERIES = (
    *(f"npu.get_{name}" for name in _RANKS), "npu.get_world_rank_from_group_rank",
    "npu.get_group_rank_from_world_rank", "npu.create_group",
)  # fmt: skip
_STORED = tuple(f"npu.get_npu_{name}" for name in _RANKS)
"""Queries of values that init_resource() stored; another initialisation is not enough."""
_INITIALISERS = (
    "npu.init_resource",
    "npu.npu_ops.initialize_system",
    "npu.npu_ops.NPUInit",
    "npu.npu_plugin.npu_resource_init",
)


@RULE.call(*_QUERIES, *_STORED)
def report_early(site: CallSite) -> Diagnoses:
    """The first query of a file, where no file of the program initialises the device."""
    file = site.file
    if not once.is_first(site, *_QUERIES, *_STORED):
        return
    stored = next(file.calls(*_STORED), None)
    if mentioned(file, *(_INITIALISERS[:1] if stored is not None else _INITIALISERS)):
        return
    yield RULE.manual(
        site,
        f"{site.brief} needs an initialised NPU, and nothing in this program initialises it",
        todo=(
            f"Where only the rank matters, use {_npu.RANK_ID} and {_npu.RANK_SIZE}. Else write "
            "`npu_sess, npu_shutdown = init_resource()` at the start of main, and in a finally "
            "block at its end `shutdown_resource(npu_sess, npu_shutdown)` and "
            "`close_session(npu_sess)`."
        ),
    )
