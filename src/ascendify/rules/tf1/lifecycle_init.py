"""Lifecycle: the device is initialised before anybody asks for a rank."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tf1._process import mentioned

RULE = Rule(
    code="TF1-INIT-1",
    title="Initialise the NPU before asking for ranks",
    why=(
        "Ranks and groups come from HCCL, which is not there before the device is initialised. "
        "Asked earlier, get_rank_id() and its kin fail, and get_npu_rank_id() raises NameError."
    ),
    statuses=(Status.MANUAL,),
    before="from hccl.manage.api import get_rank_id\nrank = get_rank_id()",
)

_QUERIES = (
    "npu.get_rank_id", "npu.get_rank_size", "npu.get_local_rank_id", "npu.get_local_rank_size",
    "npu.get_world_rank_from_group_rank", "npu.get_group_rank_from_world_rank", "npu.create_group",
)  # fmt: skip
_STORED = (
    "npu.get_npu_rank_id",
    "npu.get_npu_rank_size",
    "npu.get_npu_local_rank_id",
    "npu.get_npu_local_rank_size",
)
"""What init_resource() remembers; it must have been called, nothing else will do."""
_INITIALISERS = (
    "npu.init_resource",
    "npu.npu_ops.initialize_system",
    "npu.npu_ops.NPUInit",
    "npu.npu_plugin.npu_resource_init",
)


@RULE.call(*_QUERIES, *_STORED)
def asked_too_early(site: CallSite) -> Diagnoses:
    """The first question of a file, where nothing in reach initialises the device."""
    file = site.file
    first = next(file.calls(*_QUERIES, *_STORED), None)
    if first is None or first.node is not site.node:
        return
    stored = next(file.calls(*_STORED), None)
    if mentioned(file, *(_INITIALISERS[:1] if stored is not None else _INITIALISERS)):
        return
    called = site.brief
    yield RULE.manual(
        site,
        f"{called} needs an initialised NPU, and nothing in this program initialises it",
        todo=(
            "Where only the rank matters, ask int(os.getenv('RANK_ID', '0')) and "
            "int(os.getenv('RANK_SIZE', '1')). Else write `npu_sess, npu_shutdown = "
            "init_resource()` at the start of main, and in a finally block at its end "
            "`shutdown_resource(npu_sess, npu_shutdown)` and `close_session(npu_sess)`."
        ),
    )
