#### one device
import tensorflow as tf
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, hooks=[h])
#### a native estimator broadcasts by itself
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(model_dir=d))
estimator.train(input_fn, hooks=[h])
#### with distributed=horovod
#### an estimator that is native already
from npu_bridge.npu_init import *
estimator = NPUEstimator(model_fn=model_fn, config=NPURunConfig(model_dir=d))
estimator.train(input_fn)
#### with distributed=horovod
#### a TrainSpec for a native estimator
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, d)
spec = tf.estimator.TrainSpec(input_fn, 1000)
tf.estimator.train_and_evaluate(estimator, spec, eval_spec)
#### with distributed=horovod
#### an estimator of another file, native
import tensorflow as tf
from helper import build
build(d).train(input_fn)
#### file helper.py
import tensorflow as tf
def build(folder):
    return tf.estimator.Estimator(model_fn, folder)
#### with distributed=horovod
#### already appended
import tensorflow as tf
from npu_bridge.npu_init import npu_hooks_append
classifier = tf.estimator.DNNClassifier([8], columns)
hooks = npu_hooks_append(hooks_list=[])
classifier.train(input_fn, hooks=hooks)
#### with distributed=horovod
#### the script broadcasts by a hook of its own
import tensorflow as tf
import horovod.tensorflow as hvd
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, hooks=[hvd.BroadcastGlobalVariablesHook(0)])
#### with distributed=horovod
#### other things that train
from sklearn.svm import SVC
SVC().train(x)
model.train(x, hooks)
class Trainer(object):
    def train(self, data):
        return data
Trainer().train(1)
#### with distributed=horovod
#### a PyTorch model
import torch.nn as nn
model = nn.Linear(1, 1)
model.train()
#### with distributed=horovod
#### evaluation needs no broadcast
import tensorflow as tf
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.evaluate(input_fn)
#### with distributed=horovod
#### hooks that cannot be seen
import tensorflow as tf
classifier = tf.estimator.DNNClassifier([8], columns)
classifier.train(input_fn, **options)
#### with distributed=horovod
#### findings
3 manual
