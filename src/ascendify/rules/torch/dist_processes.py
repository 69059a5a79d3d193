"""Report processes that are started with fork, which cannot use their parent's NPU."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import keyword_value

RULE = Rule(
    code="TORCH-DIST-9",
    title="Start processes that use an NPU without fork",
    why=(
        "A process that is forked after its parent has used an NPU fails with 'Cannot "
        "re-initialize NPU in forked subprocess' when it uses the NPU."
    ),
    statuses=(Status.MANUAL,),
    before="mp.set_start_method('fork')",
)

_CALLS = {
    "torch.multiprocessing.set_start_method": "method",
    "torch.multiprocessing.get_context": "method",
    "torch.multiprocessing.start_processes": "start_method",
    "torch.multiprocessing.spawn": "start_method",
    "multiprocessing.set_start_method": "method",
    "multiprocessing.get_context": "method",
}
"""Functions that choose how processes start, and the name of that parameter."""
_FIRST = ("set_start_method", "get_context")


@RULE.call(*_CALLS)
def report_fork(site: CallSite) -> Diagnoses:
    """Report fork only where it is chosen explicitly: a default may not concern an NPU."""
    file = site.file
    given = keyword_value(site.node, _CALLS[site.name])
    if given is None and site.name.endswith(_FIRST) and site.node.args:
        given = site.node.args[0]
    if given is None or "fork" not in (file.literal(given) or ()):
        return
    yield RULE.manual(
        site,
        f"{site.brief} forks processes",
        todo=(
            "If they use an NPU, write 'spawn' or 'forkserver', and start them under "
            "if __name__ == '__main__'."
        ),
    )
