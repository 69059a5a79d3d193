#### one device
import os
import tensorflow as tf
os.environ['CUDA_VISIBLE_DEVICES'] = '2'
model = tf.keras.Sequential()
#### after
import os
import tensorflow as tf
os.environ['ASCEND_DEVICE_ID'] = '2'
model = tf.keras.Sequential()
#### findings
3 auto
#### in distributed training the launcher chooses
import os
import tensorflow as tf
os.environ['CUDA_VISIBLE_DEVICES'] = '2'
model = tf.keras.Sequential()
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
model = tf.keras.Sequential()
#### findings
3 auto-check
#### several devices
import os
import tensorflow as tf
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
#### findings
3 manual
#### none
import os
import tensorflow as tf
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
#### findings
3 info
#### an argument
import os
import tensorflow as tf
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpu
#### after
import os
import tensorflow as tf
os.environ.setdefault("ASCEND_DEVICE_ID", args.gpu.split(",")[0])
#### findings
3 auto-check
#### read
import os
import tensorflow as tf
count = len(os.environ['CUDA_VISIBLE_DEVICES'].split(','))
#### findings
3 manual
