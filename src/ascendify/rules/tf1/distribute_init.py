"""Distributed scripts: the NPU is initialised before anybody asks for a rank."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.findings import Status
from ascendify.rules.keras import _process
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import File
from ascendify.rules.tf1 import _distributed, _npu
from ascendify.rules.tf1._process import mentioned

RULE = Rule(
    code="TF1-DIST-7",
    title="Initialise the NPU at the start of a distributed script",
    why=(
        "A strategy knew its replicas by itself. On the NPU ranks come from HCCL, which fails "
        "until the device is initialised."
    ),
    statuses=(Status.AUTO,),
    before=(
        "def main():\n"
        "    dataset = tf.data.TFRecordDataset(files).shard(get_rank_size(), get_rank_id())"
    ),
    after=(
        "def main():\n"
        "    npu_sess, npu_shutdown = init_resource()\n"
        "    atexit.register(close_session, npu_sess)\n"
        "    atexit.register(shutdown_resource, npu_sess, npu_shutdown)\n"
        "    dataset = tf.data.TFRecordDataset(files).shard(get_rank_size(), get_rank_id())"
    ),
    safety=(
        "What is registered last runs first at exit: the shutdown, then the close. They are "
        "registered because tf.app.run() never returns."
    ),
)

_INITIALISERS = (
    "npu.init_resource",
    "npu.npu_ops.initialize_system",
    "npu.npu_ops.NPUInit",
    "npu.npu_plugin.npu_resource_init",
)
_SOURCES = ("tf.data.", "tf.distribute.", "tf.contrib.distribute.", "npu.get_")
"""Calls beside which rank queries stand or are put: datasets are sharded, strategies counted."""
_MAY_ASK = re.compile(r"Dataset|\bdistribute\b|get_rank")
_MAY_TRAIN = re.compile(r"minimize|apply_gradients|\.fit|\.train\b|train_and_evaluate|_on_batch")
"""A cheap look before the thorough one."""
_INIT = "npu_bridge.npu_init"


@RULE.file
def initialise(file: File) -> Iterator[Diagnosis]:
    """Insert the initialisation before what asks for ranks, in the script that is run."""
    if not _distributed.is_strategy_run(file) or not file.is_entry:
        return
    if not _process.mention(file, _MAY_ASK, _MAY_TRAIN) or mentioned(file, *_INITIALISERS):
        return
    block = _process.main_block(file, _asks)
    place = next((node for node in block if _asks(_process.follow(file, [node]))), None)
    if place is None or not _process.follow(file, block).trains:
        return
    fix = file.fix()
    session, shutdown = fix.fresh("npu_sess"), fix.fresh("npu_shutdown")
    config = f"config={_npu.session_config(file, fix)[0]}()" if file.facts.npu_options else ""
    register = f"{fix.use('atexit')}.register"
    lines = (
        f"{session}, {shutdown} = {fix.use(_INIT, 'init_resource')}({config})",
        f"{register}({fix.use(_INIT, 'close_session')}, {session})",
        f"{register}({fix.use(_INIT, 'shutdown_resource')}, {session}, {shutdown})",
    )
    fix.insert_before(place, "\n".join(lines))
    yield file.finding(
        RULE,
        Status.AUTO,
        place,
        f"{file.brief(place, 50)} needs the rank, which HCCL knows only once it is initialised",
        done="Inserted init_resource() and registered the shutdown for the end of the process.",
        fix=fix,
    )


def _asks(run: _process.Run) -> bool:
    return any(name.startswith(_SOURCES) for name in run.names)
