"""Report imports of packages that need CUDA: one mechanism for every framework."""

from __future__ import annotations

from ascendify.catalog import cuda_packages, names
from ascendify.rules.kit import Diagnoses, ImportSite, Rule, Status, guards, once
from ascendify.source.nodes import imported_names, position


def rule_for(code: str, title: str, framework: str, before: str) -> Rule:
    """Make the rule that reports imports of CUDA packages in programs of one framework."""
    rule = Rule(
        code=code,
        title=title,
        why=(
            "Packages built on CUDA or on NVIDIA's management library cannot be installed, or "
            "find no device, on an NPU machine: the import stops the program."
        ),
        statuses=(Status.BLOCKER, Status.MANUAL, Status.INFO),
        raises=True,
        before=before,
        framework=framework,
    )

    @rule.imports(*(f"{name}.*" for name in cuda_packages.by_import(framework)))
    def report(site: ImportSite) -> Diagnoses:
        """Report the import of a CUDA package; only a note where a ``try`` handles its failure."""
        yield from _report(rule, site)

    return rule


def _report(rule: Rule, site: ImportSite) -> Diagnoses:
    packages = cuda_packages.by_import(rule.framework)
    name = next(item for item in packages if f"{site.name}.".startswith(f"{item}."))
    package = packages[name]
    found = f"{site.brief} brings in a package that {package.what}"
    if guards.may_fail(site.node):
        yield rule.info(site, f"{found}; the program goes on without it")
        return
    lines = _other_lines(site, name)
    if lines is not None:
        yield rule.finding(
            package.status,
            site,
            f"{found}{once.words(lines)}",
            todo=package.instead(rule.framework),
            effort=package.effort,
        )


def _other_lines(site: ImportSite, package: str) -> list[int] | None:
    """Lines that import more of a package; None where an earlier line has the finding.

    Every line that contains "cuda" gets a finding of its own.
    """
    if "cuda" in site.file.text(site.node).lower():
        return []
    found = [
        node
        for node in site.file.module.index.imports
        if not guards.may_fail(node)
        and "cuda" not in site.file.text(node).lower()
        and any(_is_part(names.canonical(name), package) for name in imported_names(node))
    ]
    first = min(found, key=position, default=site.node)
    is_first = first is site.node and site.alias is site.node.names[0]
    return sorted({node.lineno for node in found} - {site.node.lineno}) if is_first else None


def _is_part(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")
