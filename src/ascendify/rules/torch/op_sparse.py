"""Report sparse tensors, for which an NPU has few operators and the emulated one none."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, Effort, Rule, Site, Status, once

RULE = Rule(
    code="TORCH-OP-4",
    title="Keep sparse tensors on the host, or make them dense",
    why=(
        "The vendor describes how a sparse tensor is made on an NPU, and no operator that computes "
        "with one: products such as torch.spmm may fail. The emulated NPU has no sparse tensors, "
        "so `ascendify run` and `verify` stop where one is moved there."
    ),
    statuses=(Status.MANUAL,),
    before="adjacency = torch.sparse_coo_tensor(indices, values, size).cuda()",
)

_TYPES = ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte")
_MAKERS = (
    "torch.sparse_coo_tensor",
    *(f"torch.sparse.{name}Tensor" for name in _TYPES),
    *(f"torch.cuda.sparse.{name}Tensor" for name in _TYPES),
)
_PRODUCTS = (
    "torch.spmm", "torch.dsmm", "torch.hsmm", "torch.smm", "torch.hspmm", "torch.sspaddmm",
    "torch.sparse.mm", "torch.sparse.addmm", "torch.sparse.sum", "torch.sparse.softmax",
    "torch.sparse.log_softmax", "torch.sparse.spsolve", "torch.sparse.sampled_addmm",
)  # fmt: skip


@RULE.reference(*_MAKERS, *_PRODUCTS)
def report_sparse(site: Site) -> Diagnoses:
    """Report the first mention in a file."""
    others = once.others(site, *_MAKERS, *_PRODUCTS)
    if others is None:
        return
    yield RULE.manual(
        site,
        f"{site.brief} is for sparse tensors, with which few NPU operators compute{others}",
        todo=(
            "Where memory allows, call .to_dense() before the tensor is moved to the NPU, and use "
            "torch.mm for a product; torch.spmm and torch.sparse.mm accept dense tensors too. "
            "Otherwise keep the tensor and its products on the CPU, or gather and add rows with "
            "index_select and index_add."
        ),
        effort=Effort.HOURS,
    )
