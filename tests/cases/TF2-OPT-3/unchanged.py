#### before the opening
import npu_device
npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.open().as_default()
#### in another function
import npu_device
def start():
    npu_device.open().as_default()
def options():
    npu_device.global_options().precision_mode = 'allow_mix_precision'
#### never opened here
import npu_device
npu_device.global_options().precision_mode = 'allow_mix_precision'
#### read behind it
import npu_device
npu_device.open().as_default()
print(npu_device.global_options().precision_mode)
