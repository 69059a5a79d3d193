"""Lookup tables in the network: report them, because the device cannot run them."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tensorflow import host

RULE = Rule(
    code="TF1-API-3",
    title="Keep lookup tables out of the network",
    why=(
        "A lookup table is a resource of the host with string or hash kernels the device does not "
        "have. Inside the network it splits the graph, which needs mixed computing."
    ),
    statuses=(Status.MANUAL,),
    before="table = tf.contrib.lookup.index_table_from_file('vocabulary.txt')",
)

_TABLES = (
    *(f"tf.contrib.lookup.{name}" for name in (
        "index_table_from_file", "index_table_from_tensor", "index_to_string_table_from_file",
        "index_to_string_table_from_tensor", "HashTable", "MutableHashTable",
        "MutableDenseHashTable", "IdTableWithHashBuckets", "string_to_index",
    )),
    *(f"tf.lookup.{name}" for name in (
        "StaticHashTable", "StaticVocabularyTable", "experimental.DenseHashTable",
    )),
)  # fmt: skip


@RULE.call(*_TABLES)
def report_table(site: CallSite) -> Diagnoses:
    """A table that is not made for the input pipeline."""
    file = site.file
    if host.runs_on_host(file, site.node):
        return
    diagnosis = RULE.manual(
        site,
        f"{site.callee} makes a lookup table, which exists on the host only",
        todo=(
            "Look words up in the input pipeline (Dataset.map) and give the network numbers. If "
            "the table must stay in the network, keep it under `with "
            "npu_scope.without_npu_compile_scope():` (npu_bridge.estimator.npu) and migrate with "
            "--npu mix_compile_mode=true."
        ),
        effort=Effort.HOURS,
        cause=site.path,
    )
    # a table that is made here may well be used in the input pipeline
    yield diagnosis.as_possible() if host.uses_datasets(file) else diagnosis
