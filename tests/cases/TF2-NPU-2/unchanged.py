#### empty points
import npu_device

npu_device.global_options().profiling_config.profiling_options = '{"output":"/tmp","fp_point":"","bp_point":""}'
#### a part of a text
import npu_device

options = '{"output":"' + path + '","fp_point":"","bp_point":""}'
#### not about an NPU
import tensorflow as tf

text = '{"fp_point": "x"}'
