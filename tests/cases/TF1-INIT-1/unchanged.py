#### nobody initialises
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_rank_size
dataset = dataset.shard(get_rank_size(), get_rank_id())
#### findings
3 manual
#### the star import of the vendor's tool
from npu_bridge.npu_init import *
rank = get_rank_id()
#### findings
2 manual
#### only the first question of a file is reported
from npu_bridge.npu_init import get_npu_rank_id, get_npu_rank_size
def shard(dataset):
    return dataset.shard(get_npu_rank_size(), get_npu_rank_id())
#### findings
3 manual
#### initialised in the same file
from npu_bridge.npu_init import *
npu_sess, npu_shutdown = init_resource()
rank = get_rank_id()
shutdown_resource(npu_sess, npu_shutdown)
#### initialised by hand
import tensorflow as tf
from npu_bridge.estimator import npu_ops
from hccl.manage.api import get_rank_id
def init_npu():
    npu_init = npu_ops.initialize_system()
    with tf.Session() as sess:
        sess.run(npu_init)
rank = get_rank_id()
#### initialised by the script that uses this file
from hccl.manage.api import get_rank_size
def steps(total):
    return total // get_rank_size()
#### file train.py
import main
from npu_bridge.npu_init import init_resource
npu_sess, npu_shutdown = init_resource()
main.steps(100)
#### initialised by a helper the script imports
from hccl.manage.api import get_rank_size
import setup_npu
def steps(total):
    return total // get_rank_size()
#### file setup_npu.py
from npu_bridge.npu_init import init_resource
def setup():
    return init_resource()
#### what init_resource remembers needs init_resource
import tensorflow as tf
from npu_bridge.estimator import npu_ops
from npu_bridge.npu_init import get_npu_rank_id
with tf.Session() as sess:
    sess.run(npu_ops.initialize_system())
    print(get_npu_rank_id())
#### findings
6 manual
#### ranks from the environment
import os
import tensorflow as tf
rank = int(os.getenv("RANK_ID", "0"))
#### somebody else's function
from mylib import get_rank_id
get_rank_id()
#### imported, not used
from hccl.manage.api import get_rank_id
