"""Remove or report settings of transformers that only GPUs have."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TORCH-FW-2",
    title="Remove transformers' settings for GPUs",
    why=(
        "transformers detects NPUs once torch_npu is imported, but some settings need features "
        "that only NVIDIA's GPUs have, and the program fails: TF32, optimizers of apex and "
        "bitsandbytes, mixed precision of apex."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="args = TrainingArguments('out', tf32=True, bf16=True)",
    after="args = TrainingArguments('out', bf16=True)",
    framework="torch",
)

_ARGUMENTS = (
    "transformers.TrainingArguments",
    "transformers.Seq2SeqTrainingArguments",
    "transformers.training_args.TrainingArguments",
)
_OPTIMIZERS = {"adamw_torch_fused": "adamw_torch_npu_fused"}
"""Those of other libraries are settings in the table of libraries."""


@RULE.call(*_ARGUMENTS)
def change_settings(site: CallSite) -> Diagnoses:
    """Change ``tf32``, ``optim`` and ``half_precision_backend`` of TrainingArguments."""
    tf32 = site.args.get("tf32")
    if tf32 is not None and site.file.literal(tf32.value) != (None,):
        fix = site.fix()
        fix.remove_argument(site.node, tf32)
        yield RULE.auto(
            site.at(tf32.value),
            f"{site.file.brief(tf32.node)} sets a number format of NVIDIA's GPUs",
            done="Removed it. NPUs have HF32: torch.npu.matmul.allow_hf32 = True.",
            fix=fix,
        )
    yield from _optimizer(site)
    backend = site.args.get("half_precision_backend")
    if backend is not None and site.file.literal(backend.value) == ("apex",):
        yield RULE.manual(
            site.at(backend.value),
            f"{site.file.brief(backend.node)} needs apex",
            todo="Remove it: the Trainer then uses torch's own mixed precision.",
        )


def _optimizer(site: CallSite) -> Diagnoses:
    given = site.args.get("optim")
    values = None if given is None else site.file.literal(given.value)
    if given is None or not values or len(values) != 1:
        return
    name = str(values[0])
    if name in _OPTIMIZERS:
        todo = f"Pass optim='{_OPTIMIZERS[name]}', or 'adamw_torch'."
    else:
        return
    yield RULE.manual(
        site.at(given.value), f"{site.file.brief(given.node)} is an optimizer for GPUs", todo=todo
    )
