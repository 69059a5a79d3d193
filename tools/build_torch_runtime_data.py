"""Write what the stand-ins know of PyTorch's operators; with --check, fail when it is stale.

The catalogue has public names (``torch.mode``, ``torch.nn.AvgPool3d``), and the emulation
sees aten operators (``aten::mode``, ``aten::avg_pool3d``). This tool brings the verdicts of all the
public names of an operator together; stand-ins run in the user's interpreter and may not import the
catalogue, so the result travels with them as ``torch_npu/_watch/data/operators.json``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ascendify.catalog import support
from ascendify.catalog._data import TORCH

ROOT = Path(__file__).parent.parent
FILE = ROOT / "src/ascendify/emulation/packages/torch_npu/_watch/data/operators.json"

_PREFIXES = {
    "torch.": "",
    "torch.Tensor.": "",
    "torch.nn.functional.": "",
    "torch.linalg.": "linalg_",
    "torch.special.": "special_",
    "torch.fft.": "fft_",
}
"""How the public modules spell an aten operator."""
_BEHIND = {
    "torch.unique": ("_unique2", "unique_dim", "_unique"),
    "torch.unique_consecutive": ("unique_consecutive", "unique_dim_consecutive"),
    "torch.nn.functional.max_pool2d": ("max_pool2d_with_indices",),
    "torch.nn.functional.max_pool3d": ("max_pool3d_with_indices",),
    "torch.nn.functional.max_unpool1d": ("max_unpool2d",),
    "torch.nn.functional.softmax": ("_softmax",),
    "torch.nn.functional.log_softmax": ("_log_softmax",),
    "torch.nn.functional.nll_loss": ("nll_loss_forward", "nll_loss2d_forward"),
    "torch.nn.functional.layer_norm": ("native_layer_norm",),
    "torch.nn.functional.group_norm": ("native_group_norm",),
    "torch.nn.functional.batch_norm": ("native_batch_norm", "_batch_norm_with_update"),
    "torch.nn.functional.dropout": ("native_dropout",),
    "torch.nn.functional.embedding_bag": ("_embedding_bag", "_embedding_bag_forward_only"),
    "torch.nn.functional.prelu": ("_prelu_kernel",),
    "torch.nn.functional.rrelu": ("rrelu_with_noise", "rrelu_with_noise_"),
    "torch.nn.functional.logsigmoid": ("log_sigmoid_forward",),
    "torch.nn.functional.ctc_loss": ("_ctc_loss",),
    "torch.nn.functional.multilabel_margin_loss": ("multilabel_margin_loss_forward",),
    "torch.nn.functional.pdist": ("_pdist_forward",),
    "torch.nn.functional.fold": ("col2im",),
    "torch.nn.functional.unfold": ("im2col",),
    "torch.nn.functional.grid_sample": ("grid_sampler_2d", "grid_sampler_3d"),
    "torch.nn.functional.adaptive_avg_pool2d": ("_adaptive_avg_pool2d",),
    "torch.nn.functional.adaptive_avg_pool3d": ("_adaptive_avg_pool3d",),
    "torch.nn.functional.interpolate": (
        "upsample_nearest1d",
        "upsample_nearest2d",
        "upsample_nearest3d",
        "_upsample_nearest_exact1d",
        "_upsample_nearest_exact2d",
        "_upsample_nearest_exact3d",
        "upsample_linear1d",
        "upsample_bilinear2d",
        "upsample_trilinear3d",
        "upsample_bicubic2d",
        "_upsample_bilinear2d_aa",
        "_upsample_bicubic2d_aa",
    ),
    "torch.nn.ReflectionPad3d": ("reflection_pad3d",),
    "torch.nn.ReplicationPad3d": ("replication_pad3d",),
    "torch.nn.RNN": ("rnn_tanh", "rnn_relu"),
    "torch.nn.RNNCell": ("rnn_tanh_cell", "rnn_relu_cell"),
    "torch.nn.utils.rnn.pack_padded_sequence": ("_pack_padded_sequence",),
    "torch.nn.utils.rnn.pad_packed_sequence": ("_pad_packed_sequence",),
    "torch.cdist": ("_cdist_forward",),
    "torch.cummax": ("_cummax_helper",),
    "torch.cummin": ("_cummin_helper",),
    "torch.logcumsumexp": ("_logcumsumexp",),
    "torch.slogdet": ("_linalg_slogdet",),
    "torch.linalg.det": ("_linalg_det",),
    "torch.linalg.eigh": ("_linalg_eigh",),
    "torch.linalg.svd": ("_linalg_svd",),
    "torch.linalg.solve": ("_linalg_solve_ex",),
    "torch.linalg.cholesky": ("linalg_cholesky_ex",),
    "torch.linalg.inv": ("linalg_inv_ex",),
    "torch.linalg.ldl_factor": ("linalg_ldl_factor_ex",),
    "torch.linalg.lu_factor": ("linalg_lu_factor_ex",),
    "torch.norm": ("linalg_vector_norm",),
    "torch.Tensor.to_sparse": ("_to_sparse",),
    "torch.Tensor.to_sparse_csr": ("_to_sparse_csr",),
    "torch.Tensor.to_sparse_csc": ("_to_sparse_csc",),
    "torch.Tensor.to_sparse_bsr": ("_to_sparse_bsr",),
    "torch.Tensor.to_sparse_bsc": ("_to_sparse_bsc",),
    "torch.Tensor.exponential_": ("exponential_",),
}
"""Public names whose operator is called otherwise."""
_INSTEAD = frozenset(
    {"torch.Tensor.to_dense", "torch.Tensor.item", "torch.Tensor.backward", "torch.Tensor.to"}
)
"""Names that are no operator of the device: a copy, a look at a value, a whole pass."""
_CALLABLES = re.compile(
    r"torch\.(nn\.(?!RNNBase)[A-Z]\w*|nn\.functional\.\w+|nn\.utils\.rnn\.[a-z]\w*|func\.\w+|nanquantile"
    r"|nn\.parallel\.\w+|export\.export|utils\.cpp_extension\.(load|CUDAExtension))$"
)
"""Names that are Python, so that a call of them can be seen."""
_ORDER = ("supported", "partial", "unknown", "unsupported")
_NO_RESTRICTION = re.compile(
    r"950DT|named tensors|not part of the public API|use_compatible_impl|migration tool"
    r"|eight dimensions|(as|equally) many dimensions|have one dimension|has one dimension"
    r"|come out as|keep their type|random numbers|mode can be|eps has to be|must not be negative"
)
"""Remarks that are about other hardware, or hold nobody up."""
_CONVOLUTIONS = ("conv1d", "conv2d", "conv3d")
_TRANSPOSED = ("conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
"""Reach the device as one operator, and differ there by their arguments."""
_LISTED = (ROOT / "tools/catalog/aten-operators.txt").read_text(encoding="utf-8").split()
_ATEN = frozenset((*_LISTED, *_CONVOLUTIONS, *_TRANSPOSED))
"""Operators that reach a device; the others are taken apart before."""
_ODD_CLASSES = {"RReLU": "rrelu", "MultiLabelMarginLoss": "multilabel_margin_loss"}
"""Classes whose function is spelled otherwise than the rule has it."""


def _support_rows() -> dict[str, dict[str, Any]]:
    """API -> ``status`` to act on, ``note`` as text and ``dtypes`` verified by parameter.

    The parts of a note are joined by ``"; "`` and have no full stop.
    """
    return {
        verdict.api: {
            "status": verdict.effective,
            "note": "; ".join(remark.rstrip(".") for remark in verdict.remarks),
            "dtypes": {name: list(allowed) for name, allowed in verdict.dtypes.items()},
        }
        for verdict in support.verdicts(TORCH)
    }


def table() -> dict[str, Any]:
    """Everything the stand-ins need to know."""
    catalogue = _support_rows()
    by_operator: dict[str, list[str]] = {}
    for api in catalogue:
        for operator in {_in_one(name) for name in _ATEN.intersection(_operators(api))}:
            by_operator.setdefault(operator, []).append(api)
    operators = {name: _merged(apis, catalogue) for name, apis in sorted(by_operator.items())}
    decided = {api for row in operators.values() for api in row["names"]}
    return {
        "source": "the catalogue of PyTorch, by tools/build_torch_runtime_data.py",
        "operators": {name: _without_names(row) for name, row in operators.items() if _tells(row)},
        "callables": {
            api: row["note"]
            for api, row in sorted(catalogue.items())
            if row["status"] == "unsupported"
            and _CALLABLES.match(api)
            and api not in decided
            and not _works_as_function(api, catalogue)
        },
    }


def _operators(api: str) -> Iterator[str]:
    """The aten operators a public name stands for."""
    if api in _INSTEAD:
        return
    yield from _BEHIND.get(api, ())
    module, _, name = api.rpartition(".")
    prefix = _PREFIXES.get(f"{module}.")
    if prefix is not None and name[:1].islower():
        yield prefix + name
    elif module == "torch.nn" and name[:1].isupper():
        functional = f"torch.nn.functional.{_snake(name)}"
        yield from _BEHIND.get(functional, ())
        yield _snake(name)


def _in_one(operator: str) -> str:
    """An operator that works in place goes with the one that does not: the device has one."""
    return operator[:-1] if operator.endswith("_") and operator[:-1] in _ATEN else operator


def _works_as_function(api: str, catalogue: dict[str, dict[str, Any]]) -> bool:
    """Whether the vendor lists a class as not supported and its function as supported."""
    module, _, name = api.rpartition(".")
    row = catalogue.get(f"torch.nn.functional.{_snake(name)}") if module == "torch.nn" else None
    return row is not None and row["status"] in ("supported", "partial")


def _snake(name: str) -> str:
    """``AdaptiveMaxPool2d`` as ``adaptive_max_pool2d``."""
    return _ODD_CLASSES.get(name) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _merged(apis: list[str], catalogue: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One verdict of several names: the best, and what contradicts it as a note."""
    judged = sorted(apis, key=lambda api: (_ORDER.index(catalogue[api]["status"]), _plain(api)))
    best = judged[0]
    row = catalogue[best]
    remarks = catalogue[best]["note"].split("; ")
    notes = [remark for remark in remarks if not _NO_RESTRICTION.search(remark)]
    worse = [api for api in judged if catalogue[api]["status"] == "unsupported"]
    if row["status"] != "unsupported" and worse:
        notes.append(f"the vendor lists it as not supported under the name {worse[0]}")
    types: set[str] = set()
    for api in judged:
        # a list that says of one name that every type goes says it of the operator
        listed = _types(catalogue[api])
        if listed is None and catalogue[api]["status"] in ("supported", "partial"):
            types = set()
            break
        types |= listed or set()
    return {
        "api": best,
        "names": judged,
        "support": row["status"],
        "note": "; ".join(filter(None, notes)),
        "types": sorted(types),
    }


def _plain(api: str) -> tuple[bool, int, str]:
    """Functions before classes, short names before long ones."""
    return api.rpartition(".")[2][:1].isupper(), len(api), api


def _types(row: dict[str, Any]) -> set[str] | None:
    listed = row.get("dtypes") or {}
    return set(next(iter(listed.values()))) if listed else None


def _tells(row: dict[str, Any]) -> bool:
    return row["support"] != "supported" or bool(row["types"])


def _without_names(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != "names" and value}


def text() -> str:
    """The file as it must be."""
    return json.dumps(table(), indent=1) + "\n"


def main() -> int:
    """Write the table, or with --check only compare it."""
    if "--check" in sys.argv[1:]:
        if FILE.is_file() and FILE.read_text(encoding="utf-8") == text():
            return 0
        print(f"{FILE.name} is stale: run tools/build_torch_runtime_data.py")
        return 1
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
