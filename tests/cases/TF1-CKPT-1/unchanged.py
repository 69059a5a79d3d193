#### saving by time
import tensorflow as tf
config = tf.estimator.RunConfig(save_checkpoints_secs=60)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### with distributed=horovod
#### findings
2 manual
#### one device
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, save_checkpoints_steps=1000)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### one rank saves
import tensorflow as tf
import horovod.tensorflow as hvd
config = tf.estimator.RunConfig(save_checkpoints_steps=1000 if hvd.rank() == 0 else None)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### with distributed=horovod
#### one rank has the folder
import tensorflow as tf
import horovod.tensorflow as hvd
folder = d if hvd.rank() == 0 else None
config = tf.estimator.RunConfig(save_checkpoints_steps=9)
estimator = tf.estimator.Estimator(model_fn, model_dir=folder, config=config)
estimator.train(input_fn)
#### with distributed=horovod
#### a run config for each kind of rank
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.rank() == 0:
    config = tf.estimator.RunConfig(model_dir=d, save_checkpoints_steps=9)
else:
    config = tf.estimator.RunConfig(save_checkpoints_steps=None)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### with distributed=horovod
#### nobody saves
import tensorflow as tf
config = tf.estimator.RunConfig(save_checkpoints_steps=None)
tf.estimator.Estimator(model_fn, config=config).train(input_fn)
#### with distributed=horovod
#### nothing is trained
import tensorflow as tf
config = tf.estimator.RunConfig(model_dir=d, save_checkpoints_steps=9)
estimator = tf.estimator.Estimator(model_fn, config=config)
for item in estimator.predict(input_fn):
    print(item)
#### with distributed=horovod
#### the estimator is somebody else's
import tensorflow as tf
from foreign import build
build(tf.estimator.RunConfig(model_dir=d))
#### with distributed=horovod
#### somebody else's run config
from ray.air import RunConfig
RunConfig(save_checkpoints_steps=1)
#### with distributed=horovod
#### the folder of a caller that knows ranks
import tensorflow as tf
def train(folder):
    config = tf.estimator.RunConfig(model_dir=folder, save_checkpoints_steps=9)
    tf.estimator.Estimator(model_fn, config=config).train(input_fn)
train(d if hvd.rank() == 0 else None)
#### with distributed=horovod
#### no folder
import tensorflow as tf
tf.estimator.Estimator(model_fn, model_dir=None).train(input_fn)
#### with distributed=tf_strategy
