"""Report Lightning's Trainer, which has no accelerator for NPUs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status, library_imports

RULE = Rule(
    code="TORCH-FW-1",
    title="Give Lightning's Trainer an accelerator for NPUs",
    why=(
        "Lightning supports GPUs, TPUs and CPUs. With accelerator='gpu' it fails because there is "
        "no GPU; with 'auto' it silently trains on the CPU."
    ),
    statuses=(Status.MANUAL,),
    raises=True,
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
    "parse_devices and get_parallel_devices return torch.device('npu', i), "
    "auto_device_count is torch.npu.device_count and is_available torch.npu.is_available; pass "
    "accelerator=NPUAccelerator() to the Trainer, and for several devices "
    "strategy=DDPStrategy(process_group_backend='hccl'). Keep devices=, remove gpus=."
)


@RULE.call(*_TRAINERS)
def report_accelerator(site: CallSite) -> Diagnoses:
    """Report a Trainer that gets GPUs, or looks for an accelerator itself."""
    args = site.args
    given = [f"{name}=" for name in _GPU_ARGUMENTS if args.get(name) is not None]
    accelerator = args.value("accelerator")
    values = None if accelerator is None else site.file.literal(accelerator)
    if values and _ACCELERATORS.intersection(map(str, values)):
        given.append(f"accelerator={site.file.brief(accelerator or site.node)}")
    elif accelerator is None and not given:
        hidden = "arguments that are not visible here, and perhaps"
        prefix = f"{hidden} " if args.starred else ""
        given.append(f"{prefix}no accelerator, so that it looks for one,")
    if given:
        diagnosis = RULE.manual(
            site,
            f"{site.callee} gets {' and '.join(given)}",
            todo=_RECIPE + _precision(site) + library_imports.switch_words(site.file),
            effort=Effort.HOURS,
        )
        is_sure = not args.starred or not given[-1].startswith("arguments")
        yield diagnosis if is_sure else diagnosis.as_possible()


@RULE.call(*(f"{trainer}.from_argparse_args" for trainer in _TRAINERS))
def report_options(site: CallSite) -> Diagnoses:
    """Report a Trainer that reads its devices from the command line."""
    yield RULE.manual(
        site,
        f"{site.callee} reads options such as gpus and accelerator, which are for GPUs",
        todo=f"{_RECIPE} Lightning 2 has no from_argparse_args: call the Trainer itself."
        + library_imports.switch_words(site.file),
        effort=Effort.HOURS,
    )


@RULE.call("lightning.pytorch.cli.LightningCLI", "pytorch_lightning.cli.LightningCLI")
def report_command_line(site: CallSite) -> Diagnoses:
    """Report LightningCLI, which makes the Trainer from a file and the command line."""
    yield RULE.manual(
        site,
        f"{site.callee} makes a Trainer whose accelerator is 'auto' or 'gpu'",
        todo=f"{_RECIPE} Pass it with trainer_defaults={{'accelerator': NPUAccelerator()}}."
        + library_imports.switch_words(site.file),
        effort=Effort.HOURS,
    )


def _precision(site: CallSite) -> str:
    value = site.args.value("precision")
    if value is None or (isinstance(value, ast.Constant) and str(value.value).startswith("32")):
        return ""
    return (
        f" For precision={site.file.brief(value)} pass plugins=[MixedPrecision(precision, "
        "device='npu')]."
    )
