"""Lightning: what its Trainer is told about GPUs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status

RULE = Rule(
    code="TORCH-FW-1",
    title="Give Lightning's Trainer an accelerator for NPUs",
    why=(
        "Lightning knows GPUs, TPUs and CPUs. Told accelerator='gpu' it stops because there is no "
        "GPU; told 'auto' it trains on the CPU without a word."
    ),
    statuses=(Status.MANUAL,),
    before="trainer = pl.Trainer(accelerator='gpu', devices=8, strategy='ddp')",
    framework="torch",
)

_MODULES = (
    "pytorch_lightning",
    "pytorch_lightning.trainer",
    "lightning",
    "lightning.pytorch",
    "lightning.fabric",
)
_TRAINERS = tuple(f"{module}.{name}" for module in _MODULES for name in ("Trainer", "Fabric"))
_GPU_ARGUMENTS = ("gpus", "auto_select_gpus", "num_gpus")
_ACCELERATORS = frozenset({"gpu", "cuda", "auto", "ddp", "dp", "ddp2"})
_RECIPE = (
    "Write a class NPUAccelerator(Accelerator) whose setup_device calls torch.npu.set_device, "
    "parse_devices and get_parallel_devices answer torch.device('npu', i), "
    "auto_device_count is torch.npu.device_count and is_available torch.npu.is_available; give "
    "the Trainer accelerator=NPUAccelerator(), and for several devices "
    "strategy=DDPStrategy(process_group_backend='hccl'). Keep devices=, drop gpus=."
)


@RULE.call(*_TRAINERS)
def tell_accelerator(site: CallSite) -> Diagnoses:
    """A Trainer that is told of GPUs, or left to find them."""
    args = site.args
    told = [f"{name}=" for name in _GPU_ARGUMENTS if args.get(name) is not None]
    accelerator = args.value("accelerator")
    values = None if accelerator is None else site.file.literal(accelerator)
    if values and _ACCELERATORS.intersection(map(str, values)):
        told.append(f"accelerator={site.file.brief(accelerator or site.node)}")
    elif accelerator is None and not told and not args.starred:
        told.append("no accelerator, so that it looks for one,")
    if told:
        yield RULE.manual(
            site,
            f"{site.callee} is given {' and '.join(told)}",
            todo=_RECIPE + _precision(site),
            effort=Effort.HOURS,
        )


@RULE.call(*(f"{trainer}.from_argparse_args" for trainer in _TRAINERS))
def tell_options(site: CallSite) -> Diagnoses:
    """A Trainer that takes its devices from the command line or from a file."""
    yield RULE.manual(
        site,
        f"{site.callee} takes options such as gpus and accelerator, which speak of GPUs",
        todo=f"{_RECIPE} Lightning 2 has no from_argparse_args: call the Trainer itself.",
        effort=Effort.HOURS,
    )


def _precision(site: CallSite) -> str:
    value = site.args.value("precision")
    if value is None or (isinstance(value, ast.Constant) and str(value.value).startswith("32")):
        return ""
    return (
        f" For precision={site.file.brief(value)} give it plugins=[MixedPrecision(precision, "
        "device='npu')]."
    )
