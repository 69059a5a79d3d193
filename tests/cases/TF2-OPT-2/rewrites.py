#### text for a switch
import npu_device
npu_device.global_options().dump_config.enable_dump = 'True'
#### after
import npu_device
npu_device.global_options().dump_config.enable_dump = True
#### findings
2 auto
#### text for a number
import npu_device
npu_device.global_options().deterministic = '1'
#### after
import npu_device
npu_device.global_options().deterministic = 1
#### findings
2 auto
#### a value that there is not
import npu_device
npu_device.global_options().precision_mode = 'allow_mixed_precision'
#### findings
2 manual
#### through a variable
import npu_device
flag = 'True'
npu_device.global_options().dump_config.enable_dump = flag
#### findings
3 manual
