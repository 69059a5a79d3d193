#### opened without them
import npu_device
import tensorflow as tf
npu_device.open().as_default()
model = tf.keras.Sequential()
#### with npu.precision_mode=allow_mix_precision
#### after
import npu_device
import tensorflow as tf
from npu_options import set_global_options
set_global_options()
npu_device.open().as_default()
model = tf.keras.Sequential()
#### findings
3 auto-check
#### in a function that sets some itself
import npu_device as npu
import tensorflow as tf
def npu_config():
    npu.global_options().precision_mode = args.precision_mode
    npu.open().as_default()
npu_config()
#### with npu.precision_mode=allow_mix_precision
#### after
import npu_device as npu
import tensorflow as tf
from npu_options import set_global_options
def npu_config():
    npu.global_options().precision_mode = args.precision_mode
    set_global_options()
    npu.open().as_default()
npu_config()
#### findings
5 auto-check
