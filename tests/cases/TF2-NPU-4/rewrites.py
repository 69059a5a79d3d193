#### a flag decides
import npu_device as npu
import tensorflow as tf

if args.rank_size != 1:
    opt = npu.distribute.npu_distributed_keras_optimizer_wrapper(opt)
#### findings
5 manual
#### in an expression
import npu_device as npu
import tensorflow as tf

grads = npu.distribute.all_reduce(grads) if FLAGS.rank_size > 1 else grads
#### findings
4 manual
