"""The vendor's verdicts, and what is made of them."""

from __future__ import annotations

import pytest

from ascendify import catalog
from ascendify.catalog import support


def effective(api: str) -> str | None:
    found = support.lookup(api)
    return None if found is None else found.effective


@pytest.mark.parametrize(
    ("api", "vendor", "verdict", "note"),
    [
        ("tf.abs", "supported", "supported", "none"),
        ("tf.nn.dropout", "tool", "tool", "dropout"),
        ("tf.Session", "tool_train", "tool_train", "session_config"),
        ("tf.accumulate_n", "supported", "manual", "fails"),
        ("tf.contrib.layers.conv2d", "deprecated", "deprecated", "deprecated_replace"),
        ("tf.compat.v1.abs", "compat", "supported", "compat"),
        ("tf.compat.v2.nn.dropout", "compat", "tool", "compat"),
        ("hvd.rank", "tool_train", "tool_train", "hvd_rank"),
    ],
)
def test_verdicts(api: str, vendor: str, verdict: str, note: str) -> None:
    found = support.lookup(api)
    assert found is not None
    assert (found.api, found.vendor, found.effective, found.note) == (api, vendor, verdict, note)


@pytest.mark.parametrize(
    ("api", "listed_as"),
    [
        ("tensorflow.compat.v1.Session", "tf.Session"),
        ("tensorflow.python.ops.nn_ops.dropout", "tf.nn.dropout"),
        ("tf.contrib.slim.conv2d", "tf.contrib.layers.conv2d"),
        ("tf.contrib.slim.learning.train", "tf.contrib.slim"),
        ("horovod.tensorflow.rank", "hvd.rank"),
        ("horovod.tensorflow.keras.DistributedOptimizer", "hvd.DistributedOptimizer"),
        (
            "horovod.keras.callbacks.BroadcastGlobalVariablesCallback",
            "hvd.callbacks.BroadcastGlobalVariablesCallback",
        ),
        ("horovod.tensorflow.elastic.run", "hvd.elastic.run"),
    ],
)
def test_an_api_is_found_under_any_of_its_names(api: str, listed_as: str) -> None:
    found = support.lookup(api)
    assert found is not None
    assert found.api == listed_as


@pytest.mark.parametrize("api", ["os.environ", "tf.no_such_thing", "keras.Model", "tf", ""])
def test_what_the_vendor_does_not_list_has_no_verdict(api: str) -> None:
    assert support.lookup(api) is None


def test_compat_names_tell_what_they_stand_for_and_its_remark() -> None:
    found = support.lookup("tf.compat.v1.nn.dropout")
    plain = support.lookup("tf.nn.dropout")
    assert found is not None
    assert plain is not None
    assert found.canonical == "tf.nn.dropout"
    assert found.note_text == plain.note_text != ""
    assert plain.canonical is None


def test_a_contradiction_is_marked_and_explained() -> None:
    found = support.lookup("tf.nn.ctc_loss")
    assert found is not None
    assert found.conflict
    assert (found.vendor, found.effective) == ("supported", "manual")
    assert "ctc_loss_v2" in found.note_text


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("tf.is_finite", "tf.math.is_finite", "unsupported"),
        ("tf.is_finite", "tf.compat.v1.debugging.is_finite", "unsupported"),
        ("tf.sparse_add", "tf.sparse.add", "manual"),
        ("tf.train.NanTensorHook", "tf.estimator.NanTensorHook", "harmless"),
    ],
)
def test_spellings_of_one_object_share_the_most_cautious_verdict(
    one: str, other: str, verdict: str
) -> None:
    assert effective(one) == effective(other) == verdict


def test_the_other_spelling_is_named_as_the_reason() -> None:
    found = support.lookup("tf.math.is_finite")
    assert found is not None
    assert found.vendor == "supported"
    assert found.conflict
    assert "tf.is_finite" in found.note_text


def test_the_whole_table_is_there() -> None:
    assert len(support._rows()) == 8351
    verdicts = [support._support("tf1", name) for name in support._rows()]
    assert {item.effective for item in verdicts} <= set(support.legend())
    assert {item.vendor for item in verdicts} <= set(support.legend())
    # The vendor's table has 48 conflicts; spellings that disagree add to them.
    assert sum(item.conflict for item in verdicts if item.vendor != "compat") > 48
    assert sum(item.doc_listed for item in verdicts) == 2105


def test_listed_gives_every_name_of_a_verdict() -> None:
    unsupported = support.listed("unsupported")
    assert "tf.tpu.rewrite" in unsupported
    assert {effective(api) for api in unsupported} == {"unsupported"}
    assert "tf.accumulate_n" in support.listed("unsupported", "manual")
    assert support.listed("no such verdict") == []


def test_the_release_is_named() -> None:
    assert "1.15" in support.release()
    assert "July 2026" in support.release()


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("tf.nn.dropot", "tf.nn.dropout"),
        ("tf.Sesion", "tf.Session"),
        ("tf.dropout", "tf.nn.dropout"),
        ("tensorflow.estimator.Estimater", "tf.estimator.Estimator"),
        ("hvd.ranks", "hvd.rank"),
    ],
)
def test_misspelt_names_lead_to_the_right_one(misspelt: str, meant: str) -> None:
    assert meant in support.closest(misspelt)


def test_closest_gives_at_most_n_and_nothing_for_nonsense() -> None:
    assert len(support.closest("tf.nn.conv2", n=2)) == 2
    assert support.closest("qqqqqqqqqqqq") == []


def test_describe_puts_everything_together() -> None:
    found = catalog.describe("tensorflow.compat.v1.nn.dropout")
    assert found is not None
    assert found.api == "tf.nn.dropout"
    assert found.support is not None
    assert found.support.effective == "tool"
    assert found.signature_text.startswith("tf.nn.dropout(x, keep_prob=None")
    assert found.returns == "tf.Tensor"


@pytest.mark.parametrize(
    ("api", "name", "bases", "alias"),
    [
        ("tf.train.AdamOptimizer", "tf.train.AdamOptimizer", ("tf.train.Optimizer",), None),
        ("tf.math.log", "tf.log", (), "tf.math.log"),
        ("hvd.rank", "horovod.tensorflow.rank", (), None),
        ("tf.data.Dataset.batch", "tf.data.Dataset.batch", (), None),
        ("tf.contrib.slim.conv2d", "tf.contrib.slim.conv2d", (), "tf.contrib.layers.conv2d"),
    ],
)
def test_describe_by_any_name(
    api: str, name: str, bases: tuple[str, ...], alias: str | None
) -> None:
    found = catalog.describe(api)
    assert found is not None
    assert found.api == name
    assert found.bases == bases
    assert alias is None or alias in found.aliases


@pytest.mark.parametrize("api", ["tf.no_such_thing", "tf.contrib.slim.no_such_thing", "os.path"])
def test_describe_knows_nothing_of_what_does_not_exist(api: str) -> None:
    assert catalog.describe(api) is None
