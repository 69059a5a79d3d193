"""Report torch.jit.script, which transfer_to_npu disables."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Site, Status

RULE = Rule(
    code="TORCH-JIT-2",
    title="Do not rely on torch.jit.script under transfer_to_npu",
    why=(
        "Only with --style transfer. transfer_to_npu replaces torch.jit.script and script_method "
        "by functions that return their argument. The model runs uncompiled; code that needs a "
        "ScriptModule, such as torch.jit.save, .save() or .graph, fails. With --style explicit "
        "both work."
    ),
    statuses=(Status.MANUAL,),
    before="model = torch.jit.script(model)",
)
_SCRIPT = ("torch.jit.script", "torch.jit.script_method")


@RULE.reference(*_SCRIPT)
def report_use(site: Site) -> Diagnoses:
    """Report every use in the project."""
    yield from _report(site)


@RULE.imports(*_SCRIPT)
def report_import(site: ImportSite) -> Diagnoses:
    """Report the import of a name, which is replaced too."""
    yield from _report(site)


def _report(site: Site) -> Diagnoses:
    if site.file.facts.switched:
        yield RULE.manual(
            site,
            f"{site.brief} does nothing once transfer_to_npu is imported",
            todo=(
                "Migrate with --style explicit if the scripted module is saved or inspected; "
                "otherwise there is nothing to do, and the model runs uncompiled."
            ),
        )
