"""Checkpoints of estimators on several devices: each rank gets its own folder, by steps."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.ranks import is_for_one_rank
from ascendify.rules.tf1 import _distributed, _estimator, _npu

RULE = Rule(
    code="TF1-CKPT-1",
    title="Let ranks save checkpoints of an estimator without disturbing each other",
    why=(
        "Every rank is a process of its own and saves what its run config says. Ranks that share "
        "a folder overwrite each other's checkpoints. An estimator restores its newest checkpoint "
        "whenever it trains or evaluates again, so a rank that saves nothing goes on from weights "
        "that another one saved earlier. Saving by seconds makes ranks save at different steps, "
        "which is not allowed in runs on several devices."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before=(
        "config = tf.estimator.RunConfig(model_dir=out, save_checkpoints_steps=1000)\n"
        "estimator = tf.estimator.Estimator(model_fn, config=config)\n"
        "estimator.train(input_fn)"
    ),
    after=(
        "def npu_rank_folder(folder):\n"
        '    """Return the folder itself on rank 0, and one below it on every other rank."""\n'
        '    rank = int(os.getenv("RANK_ID", "0"))\n'
        '    return folder if rank == 0 or not folder else os.path.join(folder, "rank_%d" % rank)\n'
        "\n\n"
        "config = tf.estimator.RunConfig(\n"
        "    model_dir=npu_rank_folder(out), save_checkpoints_steps=1000)\n"
        "estimator = tf.estimator.Estimator(model_fn, config=config)\n"
        "estimator.train(input_fn)"
    ),
    safety="Rank 0 writes where one device wrote. All ranks hold the same weights.",
)

_RUN_CONFIGS = (_estimator.RUN_CONFIG, "npu.NPURunConfig", *_estimator.TPU_RUN_CONFIGS)
_ESTIMATORS = (_estimator.ESTIMATOR, "npu.NPUEstimator")


@RULE.call(*_RUN_CONFIGS)
def check_run_config(site: CallSite) -> Diagnoses:
    """A run config that makes ranks save at different steps."""
    file, arguments = site.file, site.args
    if file.facts.distributed == "none" or arguments.starred:
        return
    seconds = arguments.value("save_checkpoints_secs")
    literal = None if seconds is None else file.literal(seconds)
    if seconds is None or (literal is not None and all(value in (None, 0) for value in literal)):
        return
    if _estimator.is_trained(file, site.node):
        yield RULE.manual(
            site.at(seconds),
            f"save_checkpoints_secs={file.brief(seconds)} lets ranks save at different steps",
            todo="Save by steps: save_checkpoints_steps=<n>.",
        )


@RULE.call(*_RUN_CONFIGS, *_ESTIMATORS)
def divide_folder(site: CallSite) -> Diagnoses:
    """A folder that every rank would save into."""
    file = site.file
    folder = site.args.value("model_dir")
    if file.facts.distributed == "none" or folder is None or file.literal(folder) == (None,):
        return
    if is_for_one_rank(file, site.node) or _distributed.is_for_rank(file, folder):
        return
    if not _estimator.is_trained(file, site.node):
        return
    fix = site.fix()
    function = _distributed.wrap_folder(fix, folder, site.node)
    yield RULE.auto_check(
        site,
        f"{site.callee} lets every rank save checkpoints in {file.brief(folder)}",
        done=f"Gave ranks other than 0 a folder below it, with {function}().",
        todo=(
            "To go on from checkpoints of another number of devices, copy those of rank 0 into the "
            f"folders of all ranks. Print and export results on rank 0 ({_npu.RANK_ID} == 0)."
        ),
        fix=fix,
    )
