"""Every finding the emulation can make while a program runs, and why it matters on a device."""

from __future__ import annotations

from ascendify.catalog import advice
from ascendify.findings import RuleInfo, Status

FAMILY = "emulation"

_INFOS = (
    RuleInfo(
        code="EMU-SHAPE-1",
        title="Give the device graph complete shapes",
        why=(
            "The NPU compiles a graph for fixed shapes. A tensor with an open dimension is "
            "compiled anew for each size it takes, and older releases refuse the graph. The "
            "finding names the operator where the open dimension enters; everything computed "
            "from it is open as well."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SHAPE-2",
        title="Feed a placeholder the same shape every time",
        why=(
            "Each new shape of a fed value compiles the graph anew, which takes minutes on an NPU."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-BATCH-1",
        title="Keep every batch whole",
        why=(
            "The last batch of an epoch has fewer samples than the others. Its shape is compiled "
            "anew when it comes, and the batch dimension of a dataset that keeps it is open."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TYPE-1",
        title="Keep 64-bit floats, complex numbers and variants out of the network",
        why=(
            "float64, complex64, complex128 and variant tensors are not supported in a network on "
            "an NPU; the graph fails to compile. The input pipeline runs on the host and may use "
            "them. The finding names the operator that makes the first such tensor."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-TYPE-2",
        title="Keep strings out of the network",
        why=(
            "Strings exist on the host only. A string tensor that reaches an operator of the "
            "network fails to compile. Summaries, checkpoints and the input pipeline are the "
            "host's business and may use them."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-OP-1",
        title="Use operators the NPU has",
        why=(
            "The catalogue lists the operator as not supported, or as failing as it stands. The "
            "graph that holds it does not compile for the device."
        ),
        statuses=(Status.MANUAL, Status.BLOCKER),
    ),
    RuleInfo(
        code="EMU-OP-2",
        title="Keep work of the host out of the network",
        why=(
            "Python functions, lookup tables and queues live on the host. Inside the network they "
            "split the graph, which needs mixed computing (mix_compile_mode) and rules out "
            "iteration offload."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-OPT-1",
        title="Use option names the NPU knows",
        why=(
            "The adapter passes over unknown names in parameter_map without a word, so a misspelt "
            "option is an option that is not set."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-OPT-2",
        title="Give NPU options values of their type and range",
        why=(
            "Every option is read from one typed field of its parameter_map entry; a value in "
            "another field does not reach the adapter. A value out of range stops the run when the "
            "session starts."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-OPT-3",
        title="Set NPU options that go together",
        why=(
            "Some options exclude each other and some are only read beside another one. The "
            "adapter refuses such a run, or passes over the option."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-SESS-1",
        title="Open every session with the NPU's entry",
        why=(
            "The NPU is reached through a graph optimizer named NpuOptimizer in the session "
            "config. A session without it runs on the host CPU and says nothing; importing "
            "npu_bridge.npu_init before the first session adds it to all that follow."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-2",
        title="Keep what disturbs the NPU out of the session config",
        why=(
            "With remapping, memory optimization or XLA left on, TensorFlow rewrites the graph "
            "into operators the NPU does not have, up to a crash of the process; without soft "
            "placement operators of the host find no device."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-3",
        title="Close every session",
        why=(
            "An NPU gives back the memory and streams of a session only in Session.close(). "
            "Sessions that are left open keep the device busy, and the next one may not start."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-4",
        title="Initialise variables and dataset iterators in separate runs",
        why=(
            "Variables live on the NPU and dataset iterators on the host. One run that initialises "
            "both spans two sub-graphs and fails."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-5",
        title="Run one overflow-detecting optimizer at a time",
        why=(
            "Overflow is one flag of the device. Two optimizers that read and clear it in the same "
            "run take each other's overflow for their own."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-1",
        title="Ask for ranks only after the collectives are initialised",
        why=(
            "Rank and size are known to HCCL after initialisation: after a session ran "
            "initialize_system, or init_resource(). A query before it raises an error."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-2",
        title="Reduce a gradient over the ranks once",
        why=(
            "An optimizer that is wrapped twice, or wrapped beside a reduction written by hand, "
            "exchanges every gradient twice. Averages stay right and only cost time; sums do not."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-3",
        title="Exchange gradients between the ranks",
        why=(
            "Ranks train one model only if their gradients are reduced. Without it every device "
            "trains a model of its own, and which of them is saved last is a matter of chance."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-ENV-1",
        title="Start every rank with a complete and consistent environment",
        why=(
            "JOB_ID, RANK_ID, RANK_SIZE and the device of a process come from its environment. A "
            "value that is missing, malformed or contradicts another one stops the job when it "
            "starts, or lets it wait for ranks that never come."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-RANK-1",
        title="Run the same collectives on every rank",
        why=(
            "Ranks of one job must run the same collectives in the same order. Where one rank has "
            "a collective that another lacks, both wait until the timeout."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-RANK-2",
        title="Build the same graph on every rank",
        why=(
            "Models on different devices of one job must be identical. A graph that has more "
            "operators on one rank is compiled and scheduled differently there, and the job hangs."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-TORCH-OP-1",
        title="Use operators the NPU has",
        why=(
            "The vendor lists the operator as not supported. Some of these run on the host CPU "
            "instead, with a copy there and back each time, and some fail. The finding names the "
            "public function or class behind what ran."
        ),
        statuses=(Status.MANUAL, Status.BLOCKER),
    ),
    RuleInfo(
        code="EMU-TORCH-OP-2",
        title="Keep to what the NPU supports of an operator",
        why=(
            "The vendor supports the operator with restrictions that cannot be read off its types. "
            "Each operator is told once, at the line that ran it first."
        ),
        statuses=(Status.INFO,),
    ),
    RuleInfo(
        code="EMU-TORCH-TYPE-1",
        title="Keep 64-bit floats and complex numbers off the device",
        why=(
            "An NPU computes in float32 and narrower types. For most operators float64 and complex "
            "tensors are not on the vendor's list: they fail, or are computed on the host."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-TYPE-2",
        title="Prefer the types an operator is listed with",
        why=(
            "The vendor names the types it has tried an operator with. Others may work, be slow, "
            "or be computed on the host."
        ),
        statuses=(Status.INFO,),
    ),
    RuleInfo(
        code="EMU-TORCH-SHAPE-1",
        title="Know where shapes depend on values",
        why=(
            "Masks, torch.nonzero and torch.unique give tensors whose shape is known only when "
            "they have run: the host waits for them, and each new shape may be compiled anew."
        ),
        statuses=(Status.INFO,),
    ),
    RuleInfo(
        code="EMU-TORCH-LAYOUT-1",
        title="Leave channels_last out",
        why="An NPU takes contiguous tensors; other memory formats are not supported.",
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-SYNC-1",
        title="Let the device run ahead",
        why=(
            "Reading a value (item(), float(), print, a comparison in an if) and copying a tensor "
            "to the host wait until the device has caught up. Told are lines that do so at least "
            "once a step of the optimizer."
        ),
        statuses=(Status.INFO,),
    ),
    RuleInfo(
        code="EMU-TORCH-SOC-1",
        title="Do not use bfloat16 on a 910A",
        why=advice.text("bfloat16-hardware"),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-TORCH-SOC-2",
        title="Find overflow on a 910A by its flag",
        why=(
            "The 910A saturates: what overflows becomes the largest number, never an infinity or "
            "a NaN. A test for these is never true there, and an overflow goes unseen. The "
            "emulation itself computes as newer hardware does."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CPU-1",
        title="Train on the NPU",
        why=(
            "The parameters an optimizer steps are on the host CPU although there is an NPU. "
            "Nothing fails, and nothing is fast: most often a question such as "
            "torch.cuda.is_available() is left, and sends the training to the CPU. Where the "
            "original trains on the CPU as well, an option of the program may choose the device."
        ),
        statuses=(Status.BLOCKER, Status.MANUAL),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-1",
        title="Ask for an NPU, not for a GPU",
        why=(
            "torch.cuda.is_available() and device_count() answer False and 0 on an NPU machine, "
            "and whatever hangs on the answer goes the way without a device."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-2",
        title="Set and measure the NPU, not a GPU",
        why=(
            "Without a GPU these functions of torch.cuda do nothing or give 0: seeds are not set "
            "for the NPU, its memory is neither freed nor measured."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-3",
        title="Make mixed precision for the NPU",
        why=(
            "autocast and GradScaler for cuda switch themselves off without a GPU, with no more "
            "than a warning. The network then trains in float32, or in float16 without scaling."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-4",
        title="Use the NPU's environment variables",
        why=(
            "Variables of CUDA and NCCL are read by nobody on an NPU machine, and set by nobody: "
            "a device chosen by CUDA_VISIBLE_DEVICES is not chosen."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-TORCH-OPT-1",
        title="Step the parameters of the model that is trained",
        why=(
            "Parameters without a gradient stay as they are. An optimizer none of whose parameters "
            "ever gets one steps something else than the model whose loss is computed."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-TORCH-OPT-2",
        title="Give a fused optimizer the same gradients in every step",
        why=(
            "The NPU's fused optimizers lay out the gradients as one block in their first step. "
            "Parameters that get a gradient later are not stepped, and gradients that are set to "
            "None take the block apart."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-RANK-1",
        title="Give every rank its own device",
        why=(
            "Without torch.npu.set_device every rank uses the first device of its server: they "
            "share its memory, and collectives between them fail or hang."
        ),
        statuses=(Status.BLOCKER,),
    ),
)

CODES: dict[str, RuleInfo] = {
    info.code: RuleInfo(info.code, info.title, info.why, FAMILY, info.statuses) for info in _INFOS
}
"""What each code means, in the order of the documentation."""
