#### points of one trace
import npu_device

npu_device.global_options().profiling_config.profiling_options = '{"output":"/tmp","fp_point":"resnet/conv1","bp_point":"add_grad", "training_trace":"on"}'
#### after
import npu_device

npu_device.global_options().profiling_config.profiling_options = '{"output":"/tmp","fp_point":"","bp_point":"", "training_trace":"on"}'
#### findings
3 auto
