#### a question for a library
import tensorflow as tf
import horovod.tensorflow as hvd
if hvd.nccl_built():
    print('nccl')
else:
    print('other')
#### with distributed=horovod
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
if False:
    print('nccl')
else:
    print('other')
#### findings
3 auto-check
#### a choice of compression that nothing reads once the optimizer is wrapped
import tensorflow as tf
import horovod.tensorflow as hvd
compression = hvd.Compression.fp16 if args.fp16 else hvd.Compression.none
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
#### findings
3 auto-check
