"""What names and conditions say about a pipeline: training, evaluation, both or nothing."""

from __future__ import annotations

import ast

import pytest

from ascendify.rules.tensorflow.purposes import Purpose, branch, is_switch, said


@pytest.mark.parametrize(
    ("name", "purpose"),
    [
        ("train_input_fn", Purpose.TRAIN),
        ("x_train", Purpose.TRAIN),
        ("TrainSpec", Purpose.TRAIN),
        ("evalInputFn", Purpose.EVAL),
        ("val_ds", Purpose.EVAL),
        ("PREDICT", Purpose.EVAL),
        ("train_and_evaluate", Purpose.BOTH),
        ("trainable_variables", None),
        ("value", None),
        ("latest", None),
        ("dataset", None),
    ],
)
def test_words_of_a_name(name: str, purpose: Purpose | None) -> None:
    assert said(name) is purpose


@pytest.mark.parametrize(
    ("condition", "purpose"),
    [
        ("is_training", Purpose.TRAIN),
        ("not is_training", Purpose.EVAL),
        ("self.training", Purpose.TRAIN),
        ("FLAGS.do_eval", Purpose.EVAL),
        ("mode == tf.estimator.ModeKeys.TRAIN", Purpose.TRAIN),
        ("tf.estimator.ModeKeys.EVAL == mode", Purpose.EVAL),
        ("mode != ModeKeys.TRAIN", Purpose.EVAL),
        ("mode != ModeKeys.PREDICT", Purpose.BOTH),
        ("split == 'train'", Purpose.TRAIN),
        ("split in ('val', 'test')", Purpose.EVAL),
        ("is_training is False", Purpose.EVAL),
        ("is_training == True", Purpose.TRAIN),
        ("is_training and shuffle", Purpose.TRAIN),
        ("is_training or shuffle", None),
        ("x > 0", None),
        ("mode == other", None),
    ],
)
def test_code_under_a_condition(condition: str, purpose: Purpose | None) -> None:
    test = ast.parse(condition, mode="eval").body
    assert branch(test) is purpose


@pytest.mark.parametrize("name", ["is_training", "mode", "training", "shuffle", "split_name"])
def test_parameters_that_choose(name: str) -> None:
    assert is_switch(name)


@pytest.mark.parametrize("name", ["train_files", "batch_size", "model", "eval_batch_size"])
def test_parameters_that_do_not(name: str) -> None:
    assert not is_switch(name)
