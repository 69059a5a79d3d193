"""Recipes for operators, types and loss scale use the names of the user's code."""

from __future__ import annotations

import pytest

from ascendify.rules.site import Facts
from support.rule_cases import Case, run

RECIPES = [
    pytest.param(
        "TF1-OP-4",
        "best, _ = tf.nn.ctc_greedy_decoder(net_out, lengths)\n",
        "migrate with --npu mix_compile_mode=true",
        id="a decoder beside a network on the device",
    ),
    pytest.param(
        "TF1-TYPE-2",
        "training = tf.equal(self.phase, tf.constant('train'))\n",
        "Give self.phase as an int8 tensor where it is made ('train' as 1 and everything else "
        "as 0) and compare numbers: tf.equal(self.phase, tf.constant(1, dtype=tf.int8))",
        id="numbers for a phase",
    ),
    pytest.param(
        "TF1-OP-3",
        "out, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)\n",
        "migrate with --dynamic-rnn",
        id="a loop over time",
    ),
    pytest.param(
        "TF1-OP-5",
        "x = tf.layers.max_pooling2d(inputs=x, pool_size=3, strides=2, padding='same')\n",
        "tf.nn.max_pool_with_argmax(x, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='SAME')",
        id="pooling with indices",
    ),
    pytest.param(
        "TF1-TYPE-4",
        "lr = tf.train.exponential_decay(0.1, step, 10, 0.9)\n",
        "tf.cast(step, tf.int32)",
        id="a 32-bit step",
    ),
    pytest.param(
        "TF1-LS-3",
        "grads = tf.gradients(loss, tvars)\nopt.apply_gradients(zip(grads, tvars))\n",
        "opt = loss_scale_optimizer(opt) (from npu_options) and take the gradients from "
        "opt.compute_gradients(loss, tvars)",
        id="gradients through the optimizer",
    ),
]


@pytest.mark.parametrize(("code", "text", "recipe"), RECIPES)
def test_recipe_names_what_the_user_has(code: str, text: str, recipe: str) -> None:
    case = Case(code, "", "import tensorflow as tf\n" + text)
    case.facts = Facts(npu_options={"loss_scale": "dynamic"})
    assert [recipe in item.todo for item in run(case).findings] == [True]


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        pytest.param({}, "--precision-mode allow_mix_precision", id="no mode requested"),
        pytest.param({"precision_mode": "allow_mix_precision"}, "", id="a mode requested"),
    ],
)
def test_precision_mode_is_advised_once(options: dict[str, object], advice: str) -> None:
    call = "tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 8)"
    text = f"import tensorflow as tf\nopt = {call}\n"
    case = Case("TF1-PREC-1", "", text, facts=Facts(npu_options=options))
    (finding,) = run(case).findings
    assert (advice in finding.todo) if advice else finding.todo == ""
