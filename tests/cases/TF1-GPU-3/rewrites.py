#### one device
import os
import tensorflow as tf
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### after
import os
import tensorflow as tf
os.environ['ASCEND_DEVICE_ID'] = '0'
#### findings
3 auto
#### the forms of setting it
from os import environ
import os as system
environ["CUDA_VISIBLE_DEVICES"] = "3"  # the quiet one
system.environ.setdefault('CUDA_VISIBLE_DEVICES', '1')
system.putenv('CUDA_VISIBLE_DEVICES', '1')
#### after
from os import environ
import os as system
environ["ASCEND_DEVICE_ID"] = "3"  # the quiet one
system.environ.setdefault('ASCEND_DEVICE_ID', '1')
system.putenv('ASCEND_DEVICE_ID', '1')
#### a device in a constant
import os
GPU = '2'
os.environ['CUDA_VISIBLE_DEVICES'] = GPU
#### after
import os
GPU = '2'
os.environ['ASCEND_DEVICE_ID'] = GPU
#### in distributed training the launcher decides
import os
import horovod.tensorflow as hvd
if debug:
    os.environ['CUDA_VISIBLE_DEVICES'] = '0'
hvd.init()
#### with distributed=horovod
#### after
import os
import horovod.tensorflow as hvd
hvd.init()
#### findings
4 auto-check
#### devices from the command line
import os
os.environ['CUDA_VISIBLE_DEVICES'] = FLAGS.gpu_id  # chosen by the user
os.environ["CUDA_VISIBLE_DEVICES"] = str(args.gpu)
os.environ["CUDA_VISIBLE_DEVICES"] = "%d" % args.gpu
#### after
import os
os.environ.setdefault('ASCEND_DEVICE_ID', FLAGS.gpu_id.split(',')[0])  # chosen by the user
os.environ.setdefault("ASCEND_DEVICE_ID", str(args.gpu).split(",")[0])
os.environ.setdefault("ASCEND_DEVICE_ID", ("%d" % args.gpu).split(",")[0])
#### findings
2 auto-check
3 auto-check
4 auto-check
