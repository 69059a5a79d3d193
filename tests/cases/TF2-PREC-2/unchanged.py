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
