"""Note data loaders that keep a smaller last batch."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.torch import _loaders
from ascendify.source.nodes import is_literal

RULE = Rule(
    code="TORCH-DATA-2",
    title="Consider drop_last=True for training",
    why=(
        "The last batch of an epoch is smaller than the others unless it is dropped. An NPU may "
        "have to compile operators again for its shape; more than half of the models that people "
        "have migrated to NPUs by hand drop it."
    ),
    statuses=(Status.INFO,),
    before="loader = torch.utils.data.DataLoader(dataset, batch_size=64, shuffle=True)",
)


@RULE.call("torch.utils.data.DataLoader")
def advise(site: CallSite) -> Diagnoses:
    """Note loaders of training data that keep the last batch."""
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
        todo="If training can skip it, add drop_last=True: then every step has the same shape.",
    )
