#### float16 layers without a precision mode
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
#### float16 layers with a mode that changes nothing
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("mixed_float16")
#### with npu.precision_mode=must_keep_origin_dtype
#### float32
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy("float32")
#### a comparison with the type
import tensorflow as tf

if x.dtype == tf.bfloat16:
    print("no")
#### a policy, and a precision mode that the program sets
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = "allow_mix_precision"
npu_device.open().as_default()
tf.keras.mixed_precision.set_global_policy("mixed_float16")
#### findings
6 manual
#### a policy, and a precision mode of the program that changes nothing
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = "must_keep_origin_dtype"
npu_device.open().as_default()
tf.keras.mixed_precision.set_global_policy("mixed_float16")
