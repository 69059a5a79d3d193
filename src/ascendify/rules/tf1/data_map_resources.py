"""Functions of the input pipeline: report variables and lookup tables in them."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import host

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


@RULE.call(*_VARIABLES, *_TABLES)
@outside_tests
def report_resource(site: CallSite) -> Diagnoses:
    """A variable or a lookup table in a function that a dataset runs."""
    if not host.runs_on_host(site.file, site.node):
        return
    found = f"{site.callee} makes a variable inside a dataset function"
    todo = "Use a constant there, or apply the variable in the network after the batch."
    if site.name in _TABLES:
        found = f"{site.callee} uses a lookup table inside a dataset function"
        todo = (
            "Set the session option mix_compile_mode to True, or map the values before the "
            "pipeline: when the records are written, or with a Python dict in tf.py_func."
        )
    yield RULE.manual(site, found, todo=todo)
