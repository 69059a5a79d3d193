"""Variables of the surrounding shell that no rank may inherit, each with the reason.

A launch may run inside another job: inside an allocation, a pod, or a rank of a job of ours. What
that job set for itself would give a rank another number, another device or another folder. Every
rank of ``launch``, ``run`` and ``verify`` starts without these variables; then its own are set.
"""

from __future__ import annotations

from collections.abc import Mapping

SEARCH = "ASCENDIFY_SEARCH"
"""A folder that a rank's Python searches before those of PYTHONPATH.

It has its own variable, because only the rank's server knows its PYTHONPATH."""

OF_ASCEND = (
    *("RANK_TABLE_FILE", "RANK_ID", "RANK_SIZE", "POD_NAME", "ASCEND_DEVICE_ID", "DEVICE_ID"),
    *("CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_CHIEF_DEVICE", "CM_WORKER_SIZE", "CM_WORKER_IP"),
)
"""Variables by which the NPU's software knows a rank and its job."""
OF_TORCHRUN = (
    *("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"),
    *("GROUP_RANK", "GROUP_WORLD_SIZE", "ROLE_RANK", "ROLE_WORLD_SIZE", "ROLE_NAME"),
    *("TORCHELASTIC_RUN_ID", "TORCHELASTIC_MAX_RESTARTS"),
)
"""Variables that torchrun sets for a rank."""
_BY_REASON = {
    "describes another job: by a rank table or by a chief, never by both": OF_ASCEND,
    "selects devices for another job": ("ASCEND_RT_VISIBLE_DEVICES",),
    "describes another job; scripts take RANK for a sign of several ranks": OF_TORCHRUN,
    "makes rank 0 wait for the store of a torchrun that does not exist": (
        "TORCHELASTIC_USE_AGENT_STORE",
    ),
    "describes another job as Horovod's launcher does": (
        *("HOROVOD_RANK", "HOROVOD_SIZE", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE"),
    ),
    "makes the processes of an outer run record into that run's files": (
        *("ASCENDIFY_FINDINGS", "ASCENDIFY_CAPTURE", "ASCENDIFY_AUDIT", "ASCENDIFY_EMULATION"),
        *("ASCENDIFY_MEASURE", SEARCH, "ASCENDIFY_ROOT", "ASCENDIFY_STRICT"),
    ),
    "describes the emulated machine of an outer run": (
        *("ASCENDIFY_JOB", "ASCENDIFY_SOC", "ASCENDIFY_DEVICES"),
    ),
    "runs a program as the original of an outer verify": (
        *("ASCENDIFY_ORIGINAL", "ASCENDIFY_ON_CPU", "ASCENDIFY_PRETEND_GPU"),
        *("ASCENDIFY_REAL_GPU", "ASCENDIFY_HOROVOD"),
        *("ASCENDIFY_PLAIN_LAYOUT", "ASCENDIFY_PLAIN_OPTIMIZERS"),
    ),
    "hides the GPUs of this machine, which an original on the GPU needs": (
        *("ASCENDIFY_HIDE_GPU", "ASCENDIFY_OWN_CUDA_VISIBLE_DEVICES"),
        *("ASCENDIFY_OWN_HIP_VISIBLE_DEVICES", "ASCENDIFY_OWN_ROCR_VISIBLE_DEVICES"),
    ),
}

UNSET: Mapping[str, str] = {name: reason for reason, names in _BY_REASON.items() for name in names}
"""Names of variables, with the reason why a rank must not inherit them."""
SETTINGS: Mapping[str, str] = {
    "ASCENDIFY_TORCH_NPU": "the release of torch_npu to emulate",
    "ASCENDIFY_EMULATION_PATH": "the fast or the portable path of the emulation",
    "ASCENDIFY_SHARED_RANDOM": "one stream of random numbers for host and device",
    "ASCENDIFY_SEED": "a seed for programs that choose none",
    "ASCENDIFY_DETERMINISTIC": "the same order of data and operators in every run",
    "ASCENDIFY_INDEPENDENT_SAMPLES": "no shuffling, dropout nor statistics of a batch",
    "ASCENDIFY_MOVED_WEIGHTS": "first weights a rounding error away, to see what that makes",
    "ASCENDIFY_ADD_GRADIENTS": "gradients are added up over the ranks instead of averaged",
    "ASCENDIFY_MISMATCH_GRACE": "seconds until collectives that do not match are reported",
    "ASCENDIFY_FONTS": "folders with fonts for the zoo's generated data",
    "ASCENDIFY_EMULATE": "a switch of scaffolded launch scripts",
    "ASCENDIFY_PROCESSES": "marks of all enclosing runs, by which each finds its processes",
}
"""Our variables that ranks do inherit: the user sets them, or all enclosing runs share them."""
