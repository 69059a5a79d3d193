"""Codes of the findings that strict mode reports while a program runs, with the reason of each."""

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
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-SHAPE-2",
        title="Feed a placeholder the same shape every time",
        why=(
            "Each new shape of a fed value compiles the graph anew, which takes minutes on an NPU."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-BATCH-1",
        title="Keep every batch whole",
        why=(
            "The last batch of an epoch has fewer samples than the others. Its shape is compiled "
            "anew when it comes, and the batch dimension of a dataset that keeps it is open."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-TYPE-1",
        title="Keep 64-bit floats, complex numbers and variants out of the network",
        why=(
            "float64, complex64, complex128 and variant tensors are not supported in a network on "
            "an NPU; the graph fails to compile. The input pipeline runs on the host and may use "
            "them. The finding names the operator that makes the first such tensor. Operators that "
            "are executed eagerly fail one by one, or are computed on the host."
        ),
        statuses=(Status.BLOCKER, Status.MANUAL),
    ),
    RuleInfo(
        code="EMU-TYPE-2",
        title="Keep strings out of the network",
        why=(
            "Strings exist on the host only. A string tensor that reaches an operator of the "
            "network fails to compile. Summaries, checkpoints and the input pipeline run on the "
            "host and may use them."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-OP-1",
        title="Use operators the NPU has",
        why=(
            "The catalogue lists the operator as not supported, or as failing with these "
            "arguments. A graph of a session that contains it does not compile for the device; "
            "the adapter of TensorFlow 2 computes it on the host, with copies there and back. An "
            "information is an operator on which the vendor's statements contradict each other."
        ),
        statuses=(Status.MANUAL, Status.BLOCKER, Status.INFO),
    ),
    RuleInfo(
        code="EMU-OP-2",
        title="Keep host-only operators out of the network",
        why=(
            "Python functions, lookup tables and queues run on the host. Inside the network they "
            "split the graph, which needs mixed computing (mix_compile_mode) and rules out "
            "iteration offload."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-OPT-1",
        title="Use option names that exist",
        why=(
            "The adapter ignores unknown names in parameter_map without a warning, so a misspelt "
            "option is not set."
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
        title="Set NPU options that are allowed together",
        why=(
            "Some options exclude each other, and some are read only together with another one. "
            "The adapter refuses such a run, or ignores the option."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-SESS-1",
        title="Open every session with the NpuOptimizer entry",
        why=(
            "A session uses the NPU through a graph optimizer named NpuOptimizer in its config. A "
            "session without that entry runs on the host CPU, without a warning; importing "
            "npu_bridge.npu_init before the first session adds the entry to all later sessions."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-2",
        title="Switch off session options that break the NPU",
        why=(
            "With remapping, memory optimization or XLA left on, TensorFlow rewrites the graph "
            "into operators the NPU does not have, and the process may crash; without soft "
            "placement, operators that run on the host find no device."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-3",
        title="Close every session",
        why=(
            "An NPU frees the memory and streams of a session only in Session.close(). "
            "Sessions that are left open keep the device busy, and the next one may not start."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-4",
        title="Initialise variables and dataset iterators in separate runs",
        why=(
            "Variables are on the NPU and dataset iterators on the host. One run that initialises "
            "both spans two sub-graphs and fails."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-SESS-5",
        title="Run one overflow-detecting optimizer at a time",
        why=(
            "The device has one overflow flag. Two optimizers that read and clear it in the same "
            "run each react to the overflow of the other."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-1",
        title="Query rank and size only after the collectives are initialised",
        why=(
            "HCCL knows rank and size only after its initialisation: after a session ran "
            "initialize_system, or after init_resource(). An earlier query raises an error."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-2",
        title="Reduce a gradient over the ranks once",
        why=(
            "An optimizer that is wrapped twice, or wrapped in addition to a reduction written by "
            "hand, exchanges every gradient twice. Averages stay correct and only cost time; sums "
            "become wrong."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-3",
        title="Exchange gradients between the ranks",
        why=(
            "Ranks train one model only if their gradients are reduced. Without it every device "
            "trains a model of its own, and it is a matter of chance which of them is saved last."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-HCCL-4",
        title="Broadcast variables with the function, not with the callback",
        why=(
            "NPUBroadcastGlobalVariablesCallback of npu_device defines its hook where Keras never "
            "calls it, so nothing is broadcast, and each rank starts from its own weights."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-HCCL-5",
        title="Start all ranks from the same variables",
        why=(
            "Ranks that start from different weights train different models with common "
            "gradients. A seed that is the same on all ranks hides that, as long as it is set; "
            "variables of a model that is not built when it is broadcast are not sent."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-NPU-1",
        title="Train on the NPU",
        why=(
            "The program trained, and no session or step of it used the NPU: without npu_bridge or "
            "npu_device, TensorFlow computes on the host CPU, without a warning. Equal losses "
            "prove nothing then."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-OPEN-1",
        title="Open the NPU before anything else",
        why=(
            "npu_device.open() replaces TensorFlow's eager context. Seeds and settings made before "
            "are forgotten without a message; variables, built models and traced functions made "
            "before fail when they are used."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-OPEN-2",
        title="Set options before the NPU is opened",
        why=(
            "npu_device.open() reads the options once. What is assigned to global_options() later "
            "has no effect, and no message says so."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-OPEN-3",
        title="Use either sessions or the eager device in one process",
        why=(
            "Sessions do not use the device that npu_device.open() has opened, and both claim the "
            "same NPU."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-FUNC-1",
        title="Let no tf.function that updates variables fail to be inlined",
        why=(
            "The adapter calls the Python function of an inner tf.function directly. If that "
            "fails, for example at an `if` on a tensor, it calls it again as a function. What the "
            "first attempt has already built stays in the graph: its updates run twice."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-FUNC-2",
        title="Call a tf.function with tensors, not with numbers that change",
        why=(
            "A tf.function is traced for each new value of an argument that is no tensor, and an "
            "NPU compiles every trace, which takes minutes."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-LOOP-1",
        title="Give the device the number of steps of a loop over an iterator",
        why=(
            "A tf.range loop that calls next(iterator) is offloaded as a whole and runs "
            "NPU_LOOP_SIZE times, 1 by default, whatever the range is."
        ),
        statuses=(Status.BLOCKER,),
    ),
    RuleInfo(
        code="EMU-ENV-1",
        title="Start every rank with a complete and consistent environment",
        why=(
            "JOB_ID, RANK_ID, RANK_SIZE and the device of a process come from its environment. A "
            "value that is missing, malformed or contradicts another one stops the job when it "
            "starts, or makes it wait for ranks that are never started."
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
        title="Check the restrictions of an operator on the NPU",
        why=(
            "The vendor supports the operator with restrictions beyond the types of its arguments. "
            "Each operator is reported once, at the line that ran it first."
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
            "The vendor lists the types an operator was tested with. Other types may work, be "
            "slow, or be computed on the host."
        ),
        statuses=(Status.INFO,),
    ),
    RuleInfo(
        code="EMU-TORCH-SHAPE-1",
        title="Check operators whose result shape depends on values",
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
        title="Do not wait for the device in every step",
        why=(
            "Reading a value (item(), float(), print, a comparison in an if), copying a tensor to "
            "the host, results whose size depends on values (nonzero, a mask as index) and "
            "synchronize() wait until the device has finished its work. Lines that do so at least "
            "once per optimizer step are reported; the report of the run says how often a step "
            "waits, and where."
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
        title="Detect overflow on a 910A by its flag",
        why=(
            "The 910A saturates: a value that overflows becomes the largest number, never an "
            "infinity or a NaN. A test for these is never true there, and an overflow is not "
            "detected. The emulation itself computes as newer hardware does."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CPU-1",
        title="Train on the NPU",
        why=(
            "The parameters an optimizer steps are on the host CPU although there is an NPU. "
            "The program runs, but slowly: most often a test such as torch.cuda.is_available() "
            "was left in and sends the training to the CPU. Where the "
            "original trains on the CPU as well, an option of the program may choose the device."
        ),
        statuses=(Status.BLOCKER, Status.MANUAL),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-1",
        title="Test for an NPU, not for a GPU",
        why=(
            "torch.cuda.is_available() and device_count() return False and 0 on an NPU machine, "
            "and code that depends on them runs without a device."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-2",
        title="Seed and measure the NPU, not a GPU",
        why=(
            "Without a GPU these functions of torch.cuda do nothing or return 0: seeds are not set "
            "for the NPU, its memory is neither freed nor measured."
        ),
        statuses=(Status.MANUAL,),
    ),
    RuleInfo(
        code="EMU-TORCH-CUDA-3",
        title="Use mixed precision of the NPU",
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
            "On an NPU machine no software reads or sets the variables of CUDA and NCCL: "
            "CUDA_VISIBLE_DEVICES, for example, does not choose a device."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-TORCH-OPT-1",
        title="Give the optimizer the parameters of the trained model",
        why=(
            "Parameters without a gradient do not change. An optimizer whose parameters never get "
            "a gradient does not update the model whose loss is computed."
        ),
        statuses=(Status.MANUAL, Status.INFO),
    ),
    RuleInfo(
        code="EMU-TORCH-OPT-2",
        title="Give a fused optimizer the same gradients in every step",
        why=(
            "The NPU's fused optimizers combine the gradients into one block of memory in their "
            "first step. Parameters that get a gradient later are not updated, and setting a "
            "gradient to None breaks the block."
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
"""Every code with its title and reason, in the order of the documentation."""
