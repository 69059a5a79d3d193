#### handed on
import tensorflow as tf
import horovod.tensorflow as hvd
def step(tape, loss):
    return apply(hvd.DistributedGradientTape(tape), loss)
#### with distributed=horovod
#### findings
4 manual
#### Adasum
import tensorflow as tf
import horovod.tensorflow as hvd
def step(tape, loss):
    tape = hvd.DistributedGradientTape(tape, op=hvd.Adasum)
    return tape.gradient(loss, model.trainable_variables)
#### with distributed=horovod
#### findings
4 manual
#### a plain tape
import tensorflow as tf
import horovod.tensorflow as hvd
def penalty(x):
    with tf.GradientTape() as tape:
        y = model(x)
    return tape.gradient(y, x)
#### with distributed=horovod
#### a class of the user's
import tensorflow as tf
from mylib import DistributedGradientTape
tape = DistributedGradientTape(tape)
#### with distributed=horovod
#### a sum, in a branch
import tensorflow as tf
import horovod.tensorflow as hvd
def step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_fn(y, model(x))
    if use_horovod:
        tape = hvd.DistributedGradientTape(tape, op=hvd.Sum)
    return tape.gradient(loss, model.trainable_variables)
#### with distributed=horovod
#### findings
7 manual
