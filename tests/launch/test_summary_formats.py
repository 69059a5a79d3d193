"""Every format of log: what its lines look like, and the figures that come of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ascendify.launch.summary import summarise

CRNN = """\
2022-06-15 20:10:00 Training from scratch
Epoch_Train: 100 cost=  9.500000, lr=  0.010000, FPS: 100.000000, step_per_sec: 5.120000
Epoch_Train: 200 cost=  4.250000, lr=  0.020000, FPS: 512.000000, step_per_sec: 1.000000
Epoch_Train: 300 cost=  3.250000, lr=  0.030000, FPS: 500.000000, step_per_sec: 1.024000
Epoch_Train: 401 cost=  2.000000 seq distance=  0.912345 train accuracy=  0.421875
Epoch_Val: 401 cost=  2.250000 seq distance=  0.912345 train accuracy=  0.400000, time= 1655.1
Epoch_Train: 500 cost=  2.500000, lr=  0.030000, FPS: 520.000000, step_per_sec: 0.984615
"""

CRNN_TOWERS = """\
Epoch_Train: 101 total_loss= 12.500000 lr= 0.080000 mean_cost_time= 0.20000s
Epoch_Val: 101 total_loss= 13.000000  mean_cost_time= 0.10000s
Epoch_Train: 201 total_loss= 11.500000 lr= 0.080000 mean_cost_time= 0.10000s
"""

CRNN_TEST = """\
Mean test per char accuracy is 0.950000
Mean test full sequence accuracy is 0.875000
"""

SLIM = """\
global step 999970: loss = 30.2755 (0.914 sec/step)
global step 999971: loss = 30.2009 (0.123 sec/step)
global step 999972: loss = 30.1321 (0.125 sec/step)
INFO:tensorflow:global step 999973: loss = 30.1833 (0.127 sec/step)
eval/CharacterAccuracy[0.966915]
eval/SequenceAccuracy[0.826643]
"""

ALEXNET = """\
step:   700  epoch:  0.6  FPS:33558.6, loss: 6.754, total_loss: 7.786  lr:0.00671  batch_time:3.05
step:   800  epoch:  0.6  FPS:33828.3, loss: 6.840, total_loss: 7.871  lr:0.00767  batch_time:3.02
step:   900  epoch:  0.7  FPS:32321.9, loss: 6.785, total_loss: 7.814  lr:0.00863  batch_time:3.16
"""

ALEXNET_EVALUATION = """\
Evaluating
Validation dataset size: 49921
step      epoch  top1    top5     loss   checkpoint_time(UTC)
6300     1.0    18.502   39.33    4.78  2020-06-18 11:18:45
125200   100.0  63.015   77.11    2.91  2020-06-18 12:40:13
187700   150.0  60.120   82.06    2.57  2020-06-18 13:12:14
Finished evaluation
"""

ESTIMATOR = """\
INFO:tensorflow:Saving checkpoints for 0 into /tmp/model.ckpt.
I0615 20:12:00.015775 140615084922688 session.py:606] loss = 2.5, step = 0
INFO:tensorflow:loss = 2.5, step = 0
INFO:tensorflow:global_step/sec: 1.25
INFO:tensorflow:loss = 1.5, step = 100 (80.000 sec)
I0615 20:13:20.015775 140615084922688 session.py:260] loss = 1.5, step = 100 (80.000 sec)
INFO:tensorflow:global_step/sec: 10
INFO:tensorflow:loss = 0.5, step = 200 (10.000 sec)
INFO:tensorflow:global_step/sec: 10
INFO:tensorflow:loss = 0.75, step = 300 (10.000 sec)
I0615 20:13:40.015775 140615084922688 saver.py:606] Saving checkpoints for 350 into /tmp/x.
INFO:tensorflow:Loss for final step: 0.625.
INFO:tensorflow:Saving dict for global step 350: accuracy = 0.75, global_step = 350, loss = 0.875
"""

KERAS_1 = """\
Train on 384 samples, validate on 128 samples
Epoch 1/2
\r 32/384 [=>....] - ETA: 1s - loss: 0.6137 - acc: 0.6250\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\
\r384/384 [======] - 0s 500us/sample - loss: 0.7194 - acc: 0.5286 - val_loss: 0.73 - val_acc: 0.51
Epoch 2/2
\r 32/384 [=>....] - ETA: 0s - loss: 0.5264 - acc: 0.7062\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\b\
\r384/384 [======] - 0s 100us/sample - loss: 0.6147 - acc: 0.6339 - val_loss: 0.71 - val_acc: 0.54
"""

KERAS_2 = """\
Epoch 1/2
12/12 [==============================] - 2s 77ms/step - loss: 0.7520 - accuracy: 0.4557
Epoch 2/2
 1/12 [=>............................] - ETA: 0s - loss: 0.7180 - accuracy: 0.5625
12/12 [==============================] - ETA: 0s - loss: 0.7000 - accuracy: 0.5625
12/12 [==============================] - 0s 14ms/step - loss: 0.7 - accuracy: 0.58 - val_loss: 0.9
"""

KERAS_2_NO_BAR = """\
Epoch 1/2
12/12 - 2s - loss: 0.7030 - accuracy: 0.5495 - val_loss: 0.7358 - 2s/epoch - 147ms/step
Epoch 2/2
12/12 - 0s - loss: 0.7015 - accuracy: 0.5469 - val_loss: 0.7349 - 117ms/epoch - 10ms/step
"""

KERAS_3 = """\
Epoch 1/1
\x1b[1m 1/12\x1b[0m \x1b[32m━\x1b[0m\x1b[37m━━━\x1b[0m \x1b[1m0s\x1b[0m 50ms/step - accuracy: 0.25 - loss: 0.9
\x1b[1m12/12\x1b[0m \x1b[32m━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m0s\x1b[0m 20ms/step - accuracy: 0.5 - loss: 0.8 - val_accuracy: 0.75 - val_loss: 0.6
"""  # noqa: E501 (lines as programs print them)

EVENTS = """\
namespace:work 0,time_ts:158800000000,event_type:benchmark_start, root_dir:/home/resnet
namespace:work 0,time_ts:158800000100, key:global_batch_size,value:256,num_train_epochs:1,root_dir:/
nemespace:work 0,time_ts:158800000100,event_type:epoch_start, root_dir:/home/resnet
namespace:work 0,time_ts:158800012000,event_type:epoch_stop, root_dir:/home/resnet
namespace:work 0,time_ts:158800012500,event_type:benchmark_stop, root_dir:/home/resnet
"""


def metric(name: str, value: float, step: int) -> str:
    row = {
        "name": name,
        "value": value,
        "unit": None,
        "global_step": step,
        "timestamp": "2020-04-27",
    }
    return json.dumps({**row, "extras": []}) + "\n"


METRICS = "".join(
    (
        metric("current_examples_per_sec", 100.0, 10),
        metric("average_examples_per_sec", 900.0, 10),
        metric("current_examples_per_sec", 1000.0, 20),
        metric("train_accuracy", 0.25, 20),
        metric("accuracy", 0.5, 100),
        metric("accuracy_top_5", 0.8, 100),
        metric("loss", 2.5, 100),
    )
)

TIME_HISTORY = """\
INFO:tensorflow:Average examples/sec: 900.5 (100.5), step = 10
INFO:tensorflow:Average examples/sec: 950.5 (1000.5), step = 20
I0615 20:12:03.015775 1 keras_utils.py:145] TimeHistory: 9.0 seconds, 10.0 examples/second between steps 0 and 100
I0615 20:12:09.015775 1 keras_utils.py:145] TimeHistory: 5.0 seconds, 2560.0 examples/second between steps 100 and 150
{'train_loss': 6.25, 'train_accuracy': 0.125}
"""  # noqa: E501 (lines as programs print them)

HOROVOD = """\
Model: ResNet50
Batch size: 32
Number of GPUs: 8
Iter #0: 30.5 img/sec per GPU
Iter #1: 300.5 img/sec per GPU
Iter #2: 302.5 img/sec per GPU
Img/sec per GPU: 301.5 +-2.0
"""

HOROVOD_TOTAL = HOROVOD + "Total img/sec on 8 GPU(s): 2412.0 +-16.0\n"

CNN_BENCHMARKS = (
    "Step\tImg/sec\ttotal_loss\n"
    "1\timages/sec: 10.5 +/- 0.0 (jitter = 0.0)\t8.25\n"
    "10\timages/sec: 302.5 +/- 1.2 (jitter = 3.4)\t7.75\n"
    "20\timages/sec: 304.5 +/- 1.2 (jitter = 3.4)\t7.50\n"
    "total images/sec: 303.12\n"
)

IMAGENET = (
    "Epoch: [0][  1/100]\tTime  9.500 ( 9.500)\tData  2.000 ( 2.000)\tLoss 6.9e+00 (6.9e+00)\t"
    "Acc@1   0.00 (  0.00)\tAcc@5   1.00 (  1.00)\n"
    "Epoch: [0][ 11/100]\tTime  0.250 ( 1.250)\tData  0.000 ( 0.200)\tLoss 6.5e+00 (6.7e+00)\t"
    "Acc@1   1.50 (  0.75)\tAcc@5   3.00 (  2.00)\n"
    "Test: [  0/196]\tTime  1.000 ( 1.000)\tLoss 6.0e+00 (6.0e+00)\tAcc@1  5.00 (  5.00)\n"
    " *   Acc@1 4.500 Acc@5 12.862\n"
    " * Acc@1 5.500 Acc@5 14.862\n"
    "Epoch: [1][ 11/100]\tTime  0.250 ( 1.250)\tData  0.000 ( 0.200)\tLoss 5.5e+00 (6.0e+00)\t"
    "Acc@1   2.50 (  1.75)\tAcc@5   6.00 (  5.00)\n"
)

APEX = (
    "Epoch: [0][10/626]\tTime 0.500 (0.600)\tSpeed 512.000 (426.667)\tLoss 6.9000000000 (7.0)\t"
    "Prec@1 0.391 (0.195)\tPrec@5 1.1 (0.9)\n"
    "[npu id: 0 ] * FPS@all 512.0, TIME@all 0.500\n"
)

TRAINER = """\
  0%|          | 0/32 [00:00<?, ?it/s]\r  3%|3         | 1/32 [00:00<00:10,  3.05it/s]
{'loss': 0.9, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.5}
{'loss': 0.5, 'grad_norm': 1.1, 'learning_rate': 2e-05, 'epoch': 1.0}
{'eval_loss': 0.4, 'eval_accuracy': 0.75, 'eval_runtime': 1.2, 'epoch': 1.0}
{'loss': 0.6, 'grad_norm': 1.1, 'learning_rate': 0.0, 'epoch': 2.0}
{'train_runtime': 8.0, 'train_samples_per_second': 64.0, 'train_steps_per_second': 4.0, 'train_loss': 0.67, 'epoch': 2.0}
"""  # noqa: E501 (lines as programs print them)

TRAINER_STRINGS = (
    TRAINER.replace(": 0.", ": '0.").replace(", 'grad", "', 'grad").replace("'0.75,", "'0.75',")
)

CASES = [
    pytest.param(
        CRNN,
        {
            "formats": ("CRNN",), "first_step": 100, "last_step": 500,
            "loss.final": 2.5, "loss.lowest": 2.0, "loss.lowest_step": 401,
            "accuracy.final": 0.421875, "eval_loss.final": 2.25, "eval_accuracy.final": 0.4,
            "throughput": 512.0, "step_seconds": 1.0, "batch_size": 512,
        },
        id="crnn",
    ),
    pytest.param(
        CRNN + CRNN_TEST,
        {
            "formats": ("CRNN test", "CRNN"), "last_step": 500, "eval_loss.final": 2.25,
            "accuracy.final": 0.421875, "eval_accuracy.final": 0.875,
        },
        id="crnn-test",
    ),
    pytest.param(
        CRNN_TOWERS,
        {"loss.final": 11.5, "eval_loss.final": 13.0, "step_seconds": 0.1, "last_step": 201},
        id="crnn-towers",
    ),
    pytest.param(
        SLIM,
        {
            "formats": ("slim",), "first_step": 999970, "last_step": 999973,
            "loss.final": 30.1833, "loss.lowest": 30.1321, "loss.lowest_step": 999972,
            "step_seconds": 0.125, "eval_accuracy.final": 0.826643, "throughput": None,
        },
        id="slim",
    ),
    pytest.param(
        ALEXNET,
        {
            "formats": ("AlexNet",), "throughput": 33075.1, "loss.final": 6.785, "last_step": 900,
            "step_seconds": 0.0316, "loss.lowest": 6.754, "accuracy": None,
        },
        id="alexnet",
    ),
    pytest.param(
        ALEXNET_EVALUATION,
        {
            "formats": ("AlexNet",), "eval_accuracy.final": 60.12, "eval_accuracy.highest": 63.015,
            "eval_accuracy.highest_step": 125200, "eval_loss.lowest": 2.57, "loss": None,
        },
        id="alexnet-evaluation",
    ),
    pytest.param(
        ALEXNET + ALEXNET_EVALUATION,
        {"loss.final": 6.785, "eval_accuracy.final": 60.12},
        id="alexnet-both",
    ),
    pytest.param(
        ESTIMATOR,
        {
            "formats": ("Estimator",), "first_step": 0, "last_step": 350, "step_seconds": 0.1,
            "loss.final": 0.625, "loss.lowest": 0.5, "loss.lowest_step": 200,
            "eval_loss.final": 0.875, "eval_accuracy.final": 0.75, "wall_seconds": 100.0,
        },
        id="estimator",
    ),
    pytest.param(
        KERAS_1,
        {
            "formats": ("Keras",), "loss.final": 0.6147, "accuracy.highest": 0.7062,
            "own_throughput": 10000.0, "eval_loss.final": 0.71, "eval_accuracy.final": 0.54,
            "last_step": 768, "eval_loss.lowest_step": 768,
        },
        id="keras-1",
    ),
    pytest.param(
        KERAS_2,
        {
            "loss.final": 0.7, "accuracy.final": 0.58, "step_seconds": 0.014, "last_step": 24,
            "eval_loss.final": 0.9, "loss.readings": 4,
        },
        id="keras-2",
    ),
    pytest.param(
        KERAS_2_NO_BAR,
        {"loss.final": 0.7015, "step_seconds": 0.010, "first_step": 12, "last_step": 24},
        id="keras-2-no-bar",
    ),
    pytest.param(
        KERAS_3,
        {
            "loss.final": 0.8, "accuracy.final": 0.5, "step_seconds": 0.02, "last_step": 12,
            "eval_loss.final": 0.6, "eval_accuracy.final": 0.75,
        },
        id="keras-3-colours",
    ),
    pytest.param(
        EVENTS,
        {"formats": ("ResNet events",), "wall_seconds": 125.0, "batch_size": 256, "loss": None},
        id="resnet-events",
    ),
    pytest.param(
        METRICS,
        {
            "own_throughput": 1000.0, "accuracy.final": 0.25, "eval_accuracy.final": 0.5,
            "eval_loss.final": 2.5, "last_step": 20,
        },
        id="resnet-metrics",
    ),
    pytest.param(
        TIME_HISTORY,
        {
            "throughput": 2560.0, "own_throughput": 1000.5, "loss.final": 6.25,
            "accuracy.final": 0.125, "last_step": 150,
        },
        id="resnet-time-history",
    ),
    pytest.param(
        HOROVOD,
        {"formats": ("images/sec",), "own_throughput": 301.5, "batch_size": 32},
        id="horovod",
    ),
    pytest.param(HOROVOD_TOTAL, {"throughput": 2412.0}, id="horovod-total"),
    pytest.param(
        CNN_BENCHMARKS,
        {"throughput": 303.5, "loss.final": 7.5, "last_step": 20},
        id="tf-cnn-benchmarks",
    ),
    pytest.param(
        IMAGENET,
        {
            "formats": ("PyTorch ImageNet",), "loss.final": 5.5, "accuracy.final": 2.5,
            "first_step": 1, "last_step": 111, "step_seconds": 0.25, "eval_accuracy.final": 5.5,
            "eval_accuracy.counted": True, "eval_accuracy.readings": 2,
        },
        id="pytorch-imagenet",
    ),
    pytest.param(
        APEX,
        {"throughput": 512.0, "loss.final": 6.9, "accuracy.final": 0.391, "batch_size": 256},
        id="pytorch-apex",
    ),
    pytest.param(
        TRAINER,
        {
            "formats": ("HF Trainer",), "loss.final": 0.6, "loss.lowest": 0.5,
            "loss.lowest_step": 2, "loss.counted": True, "eval_loss.final": 0.4,
            "eval_accuracy.final": 0.75, "throughput": 64.0, "step_seconds": 0.25,
            "wall_seconds": 8.0, "last_step": 32, "batch_size": 16,
        },
        id="hf-trainer",
    ),
    pytest.param(
        TRAINER_STRINGS,
        {"loss.final": 0.6, "loss.readings": 3, "eval_accuracy.final": 0.75},
        id="hf-trainer-strings",
    ),
]  # fmt: skip


def figure(found: object, name: str) -> Any:
    for part in name.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize(("text", "figures"), CASES)
def test_figures_of_a_format(text: str, figures: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(text, encoding="utf-8")
    rank = summarise(tmp_path).ranks[0]
    found = {name: figure(rank, name) for name in figures}
    assert found == {
        name: pytest.approx(value) if isinstance(value, float) else value
        for name, value in figures.items()
    }


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("The loss of generality is = 3, step = by step\n", id="prose"),
        pytest.param("loss_scale: 512, loss = none, step = x\n", id="no-numbers"),
        pytest.param("downloading 12/938 files - done\nEpoch 1/10\n", id="other-progress"),
        pytest.param("connection time_ts: unknown, 3 img/sec maybe\n", id="marks-only"),
        pytest.param("Epoch_Train: soon\nglobal step -: loss = ... (sec/step)\n", id="beginnings"),
        pytest.param("{'loss': 0.5}\n", id="a-dictionary-of-something-else"),
        pytest.param("100 2.0 3.0 4.0 5.0 2020-06-18 11:18:45\n", id="a-table-of-something-else"),
    ],
)
def test_what_looks_like_a_reading(text: str, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(text, encoding="utf-8")
    rank = summarise(tmp_path).ranks[0]
    assert (rank.loss, rank.throughput, rank.step_seconds, rank.formats) == (None, None, None, ())


def measured(**changed: Any) -> str:
    row = {"time": 0.0, "rank": 0, "event": "step", "step": 0, "seconds": 0.5, "samples": 32}
    return json.dumps({**row, "loss": None, "accuracy": None, **changed}) + "\n"


def test_our_own_lines(tmp_path: Path) -> None:
    lines = (
        measured(time=1001.0, step=1, seconds=1.0, loss=3.0),
        measured(time=1001.5, step=2, loss=2.0),
        measured(time=1002.0, step=3, loss=2.5, accuracy=0.5),
        measured(time=1002.0, event="epoch", step=3, seconds=2.0, loss=99.0),
        "not json\n",
        '["a", "list"]\n',
        measured(time=1004.0, event="eval", step=3, loss=1.5, accuracy=0.75),
        measured(time=1010.0, event="end", step=3),
    )
    (tmp_path / "measure-0.jsonl").write_text("".join(lines[:-1]))
    assert summarise(tmp_path).wall_seconds == 4.0
    (tmp_path / "measure-0.jsonl").write_text("".join(lines))
    summary = summarise(tmp_path)
    rank = summary.ranks[0]
    assert rank.loss is not None
    assert rank.eval_accuracy is not None
    assert (rank.loss.final, rank.loss.lowest, rank.loss.lowest_step) == (2.5, 2.0, 2)
    assert (rank.last_step, rank.step_seconds, rank.batch_size) == (3, 0.5, 32)
    assert (summary.throughput, rank.eval_accuracy.final) == (64.0, 0.75)
    assert (summary.wall_seconds, summary.wall_from) == (10.0, "time stamps")


def test_the_loss_of_the_last_step_is_reported_at_the_end(tmp_path: Path) -> None:
    lines = (
        measured(time=1001.0, step=1, loss=3.0),
        measured(time=1001.5, step=2),
        measured(time=1002.0, event="end", step=2, loss=1.0),
    )
    (tmp_path / "measure-0.jsonl").write_text("".join(lines))
    rank = summarise(tmp_path).ranks[0]
    assert rank.loss is not None
    assert (rank.loss.final, rank.last_step) == (1.0, 2)


def test_measured_steps_complete_a_log_that_tells_only_losses(tmp_path: Path) -> None:
    (tmp_path / "rank-0.log").write_text(
        "{'loss': 0.5, 'epoch': 1.0}\n{'loss': 0.25, 'epoch': 2}\n"
    )
    (tmp_path / "measure-0.jsonl").write_text(measured(step=1) + measured(step=2, seconds=0.25))
    rank = summarise(tmp_path).ranks[0]
    assert rank.loss is not None
    assert rank.loss.final == 0.25
    assert (rank.step_seconds, rank.own_throughput, rank.last_step) == (0.25, 128.0, 2)
    assert rank.formats == ("ascendify", "HF Trainer")
