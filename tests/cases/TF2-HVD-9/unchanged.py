#### callbacks of Keras
import tensorflow as tf
import horovod.tensorflow.keras as hvd
callbacks = [
    hvd.callbacks.MetricAverageCallback(),
    hvd.callbacks.LearningRateWarmupCallback(initial_lr=0.1, warmup_epochs=3, verbose=1),
]
#### with distributed=horovod
#### findings
4 manual
5 manual
#### what NPUs do not have
import tensorflow as tf
import horovod.tensorflow as hvd
state = hvd.elastic.TensorFlowKerasState(model)
hvd.join()
#### with distributed=horovod
#### findings
3 blocker
4 manual
#### a function that is passed on
import tensorflow as tf
import horovod.tensorflow as hvd
register(hvd.allreduce)
#### with distributed=horovod
#### findings
3 manual
#### what other rules rewrite
import tensorflow as tf
import horovod.tensorflow as hvd
hvd.init()
tape = hvd.DistributedGradientTape(tape)
r = hvd.rank()
#### with distributed=horovod
#### PyTorch's
import horovod.torch as hvd
hvd.join()
#### with distributed=horovod
#### a launch from Python
import tensorflow as tf
import horovod
horovod.run(main, np=2, use_gloo=True)
#### findings
3 manual
#### a choice of compression that something reads
import tensorflow as tf
import horovod.tensorflow as hvd
compression = hvd.Compression.fp16 if args.fp16 else hvd.Compression.none
send(compression)
#### findings
3 manual
