"""The last batch of training data, which is smaller than the others."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _loaders
from ascendify.source.nodes import is_literal

RULE = Rule(
    code="TORCH-DATA-2",
    title="Think about drop_last=True for training",
    why=(
        "The last batch of an epoch is smaller than the others unless it is dropped. An NPU may "
        "have to compile its operators anew for another shape, once an epoch; more than half of "
        "the models that people moved to NPUs by hand drop it."
    ),
    statuses=(Status.INFO,),
    before="loader = torch.utils.data.DataLoader(dataset, batch_size=64, shuffle=True)",
)


@RULE.call("torch.utils.data.DataLoader")
def advise(site: CallSite) -> Diagnoses:
    """Loaders of training data that keep the last batch."""
    args = site.args
    if args.starred or "batch_sampler" in args or not _loaders.trains(site):
        return
    given = args.value("drop_last")
    if given is not None and not is_literal(given, False):
        return
    size = args.value("batch_size")
    if size is None or is_literal(size, 1) or is_literal(size, None):
        return
    yield RULE.info(
        site,
        f"{site.brief} ends every epoch with a smaller batch",
        todo="If losing it does not matter, add drop_last=True: every step then has one shape.",
    )
