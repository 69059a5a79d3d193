#### a query after training
import tensorflow as tf
from npu_bridge.npu_init import *
estimator = NPUEstimator(model_fn=f, config=config)
def main():
    estimator.train(input_fn)
    if get_rank_id() == 0:
        print('done', get_local_rank_size())
#### findings
6 manual
7 manual
#### a query in a loop of cycles
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_local_rank_id
estimator = tf.estimator.Estimator(model_fn, d)
for epoch in range(3):
    if get_rank_id() == 0:
        print(epoch, get_local_rank_id())
    estimator.train(input_fn)
    estimator.evaluate(input_fn)
#### findings
5 manual
6 manual
#### queries before the only cycle
import tensorflow as tf
from hccl.manage.api import get_rank_id
estimator = tf.estimator.Estimator(model_fn, d)
rank = get_rank_id()
estimator.train(input_fn)
#### queries in another function
import tensorflow as tf
from hccl.manage.api import get_rank_id
estimator = tf.estimator.Estimator(model_fn, d)
def input_fn():
    return dataset.shard(8, get_rank_id())
estimator.train(input_fn)
#### queries from the environment
import os
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(input_fn)
rank = int(os.getenv('RANK_ID', '0'))
#### values that are kept need no library
import tensorflow as tf
from npu_bridge.npu_init import *
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(input_fn)
rank = get_npu_rank_id()
#### no estimator
import horovod.tensorflow as hvd
model.train()
rank = hvd.rank()
#### a function of the user's with the same name
import tensorflow as tf
def get_rank_id():
    return 0
tf.estimator.Estimator(model_fn, d).train(input_fn)
get_rank_id()
#### a query in the arguments of the only cycle
import tensorflow as tf
from hccl.manage.api import get_rank_size
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(
    input_fn,
    steps=20000 // get_rank_size())
#### Horovod's queries are another rule's business
import tensorflow as tf
import horovod.tensorflow as hvd
estimator = tf.estimator.Estimator(model_fn, d)
estimator.train(input_fn)
rank = hvd.rank()
