"""Packages that are pinned to versions which TensorFlow 2.6 does not work with: pin older ones."""

from __future__ import annotations

from ascendify.catalog.companions import companions
from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE
from ascendify.rules.kit import Changes, Diagnoses, Rule, Status, TextSite
from ascendify.rules.shell import _requirements
from ascendify.source.edits import Edit

RULE = Rule(
    code="TF2-REQ-1",
    title="Pin packages to versions that TensorFlow 2.6 works with",
    why=(
        f"The NPU's adapter for TensorFlow 2 is built for TensorFlow {TENSORFLOW2_RELEASE}. Newer "
        "versions of some packages fail when it is imported."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="numpy==1.26.4",
    after="numpy==1.23.0",
    safety="The program runs with an older version of the package.",
    framework="tensorflow",
)


@RULE.text("requirements", "yaml", "docker", "shell")
def pin(site: TextSite) -> Diagnoses:
    """``numpy==1.26.4`` in a project for TensorFlow 2."""
    for item in _requirements.of_file(site.kind, site.text):
        known = companions().get(item.name.lower())
        pinned = item.pinned
        if known is None or pinned is None or known.works(pinned):
            continue
        found = f"{item.text} does not work with TensorFlow {TENSORFLOW2_RELEASE}"
        at = site.at(item.start, item.end)
        if _requirements.has_hash(site.text, item):
            todo = f"Pin {item.name}=={known.take} with the hashes of that file. {known.why}"
            yield RULE.manual(at, found, todo=todo)
            continue
        start = item.specifier_start + item.specifier.index(pinned)
        yield RULE.auto_check(
            at,
            found,
            done=f"Pinned {known.take}.",
            todo=f"Try the program with it. {known.why}",
            fix=Changes([Edit(start, start + len(pinned), known.take)]),
        )
