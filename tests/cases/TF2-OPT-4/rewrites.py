#### compared with text
import npu_device
if npu_device.global_options().precision_mode == 'allow_mix_precision':
    npu_device.global_options().modify_mixlist = 'ops_info.json'
#### after
import npu_device
if npu_device.global_options().precision_mode.value == 'allow_mix_precision':
    npu_device.global_options().modify_mixlist = 'ops_info.json'
#### findings
2 auto
#### not equal
import npu_device
plain = 'allow_mix_precision' != npu_device.global_options().precision_mode
#### after
import npu_device
plain = 'allow_mix_precision' != npu_device.global_options().precision_mode.value
#### findings
2 auto
#### compared with a bool
import npu_device
dumps = npu_device.global_options().dump_config.enable_dump == True
#### findings
2 manual
