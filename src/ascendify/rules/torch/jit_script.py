"""torch.jit.script under the vendor's switch: it returns what it was given."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Site, Status

RULE = Rule(
    code="TORCH-JIT-2",
    title="Do not rely on torch.jit.script under transfer_to_npu",
    why=(
        "Only with --style transfer. transfer_to_npu replaces torch.jit.script and script_method "
        "by functions that return their argument. The model runs, uncompiled; what needs a "
        "ScriptModule, such as torch.jit.save, .save() or .graph, raises. With --style explicit "
        "both keep working."
    ),
    statuses=(Status.MANUAL,),
    before="model = torch.jit.script(model)",
)
_SCRIPT = ("torch.jit.script", "torch.jit.script_method")


@RULE.reference(*_SCRIPT)
def tell(site: Site) -> Diagnoses:
    """Every use in the project, whichever file has the switch."""
    yield from _told(site)


@RULE.imports(*_SCRIPT)
def tell_import(site: ImportSite) -> Diagnoses:
    """A name taken out of torch.jit is the replaced one, since the switch comes first."""
    yield from _told(site)


def _told(site: Site) -> Diagnoses:
    if site.file.facts.style == "transfer":
        yield RULE.manual(
            site,
            f"{site.brief} does nothing once transfer_to_npu is imported",
            todo=(
                "Migrate with --style explicit if the scripted module is saved or looked into; "
                "otherwise the model runs uncompiled and nothing is to be done."
            ),
        )
