#### the NPU's own
import npu_device

npu_device.global_options().profiling_config.enable_profiling = True
#### a clock
import time
import tensorflow as tf

start = time.time()
