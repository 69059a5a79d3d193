"""Functions of the input pipeline hold no variables and no lookup tables."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _host

RULE = Rule(
    code="TF1-DATA-6",
    title="Keep variables and lookup tables out of dataset functions",
    why=(
        "The input pipeline runs on the host while variables and tables live with the graph on the "
        "device; a function that reads them cannot be split from the network."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "def parse(line):\n"
        "    scale = tf.get_variable('scale', [])\n"
        "    return tf.decode_csv(line, [[0.0]])[0] * scale\n"
        "dataset = dataset.map(parse)"
    ),
)

_VARIABLES = (
    "tf.Variable", "tf.get_variable", "tf.get_local_variable",
    "tf.contrib.framework.model_variable", "tf.contrib.framework.variable",
    "tf.contrib.slim.variable", "tf.contrib.slim.model_variable",
)  # fmt: skip
_TABLES = (
    "tf.contrib.lookup.LookupInterface.lookup", "tf.contrib.lookup.index_table_from_file",
    "tf.contrib.lookup.index_table_from_tensor",
    "tf.contrib.lookup.index_to_string_table_from_file",
    "tf.contrib.lookup.index_to_string_table_from_tensor", "tf.contrib.lookup.HashTable",
    "tf.lookup.StaticHashTable", "tf.lookup.StaticVocabularyTable",
)  # fmt: skip


@RULE.call(*_VARIABLES)
@outside_tests
def tell_variable(site: CallSite) -> Diagnoses:
    """Tell about variables made inside a dataset function."""
    if _host.runs_on_host(site.file, site.node):
        yield RULE.manual(
            site,
            f"{site.callee} makes a variable inside a dataset function",
            todo="Use a constant there, or apply the variable in the network after the batch.",
        )


@RULE.call(*_TABLES)
@outside_tests
def tell_table(site: CallSite) -> Diagnoses:
    """Tell about lookup tables inside a dataset function."""
    if _host.runs_on_host(site.file, site.node):
        yield RULE.manual(
            site,
            f"{site.callee} uses a lookup table inside a dataset function",
            todo=(
                "Set the session option mix_compile_mode to True, or map the values before the "
                "pipeline: when the records are written, or with a Python dict in tf.py_func."
            ),
        )
