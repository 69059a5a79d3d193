"""Tools for GPUs in scripts: profilers, monitors, checkers."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _script

RULE = Rule(
    code="SH-TOOL-1",
    title="Profile and watch NPUs with the NPU's tools",
    why=(
        "Profilers, monitors and checkers of NVIDIA are not there on an NPU machine, so a script "
        "that starts a program through them does not start it."
    ),
    statuses=(Status.MANUAL,),
    before="nsys profile -o report python train.py",
)

_PROFILE = (
    "Use msprof of CANN, which starts a program in the same way (msprof --output=DIR "
    "--application='...'), or torch_npu.profiler inside it; or start the program itself."
)
_WATCH = "Use npu-smi, or leave it out."
_CHECK = "Use mssanitizer of CANN, or start the program itself."
_TOOLS = {
    **dict.fromkeys(("nsys", "ncu", "nvprof", "dlprof", "nsight-sys"), _PROFILE),
    **dict.fromkeys(("nvtop", "nvitop", "gpustat", "dcgmi", "nvidia-settings"), _WATCH),
    **dict.fromkeys(("compute-sanitizer", "cuda-memcheck", "cuda-gdb"), _CHECK),
    **dict.fromkeys(("nvidia-persistenced", "nvidia-cuda-mps-control"), "Leave it out."),
    "nvidia-ctk": "Install Ascend Docker Runtime for containers with NPUs.",
}
"""Tools of NVIDIA, each with what to do instead."""
_STARTERS = frozenset(
    {"srun", "sudo", "mpirun", "mpiexec", "env", "exec", "time", "timeout", "nohup", "numactl",
     "taskset", "apptainer", "singularity", "docker"}
)  # fmt: skip
"""Commands that start another one."""


@RULE.text("shell")
def report_tool(site: TextSite) -> Diagnoses:
    """Report a command of these tools, behind other commands such as sudo or srun too."""
    if not any(name in site.text for name in _TOOLS):
        return
    for command in _script.commands(site.text):
        for word in command.rest:
            todo = _TOOLS.get(word.value.rpartition("/")[2])
            if todo is not None and (word is command.rest[0] or command.name in _STARTERS):
                yield RULE.manual(
                    site.at(word.start, command.end),
                    f"{word.text} is a tool for GPUs",
                    todo=todo,
                    raises=todo == _PROFILE,
                )
                break
