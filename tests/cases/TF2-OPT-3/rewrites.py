#### behind the opening
import npu_device
npu_device.open().as_default()
npu_device.global_options().precision_mode = 'allow_mix_precision'
print('go')
#### after
import npu_device
npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.open().as_default()
print('go')
#### findings
3 auto
#### in a function
import npu_device
def npu_config():
    npu_device.open().as_default()
    npu_device.global_options().precision_mode = args.precision_mode
    npu_device.global_options().dump_config.enable_dump = True
#### after
import npu_device
def npu_config():
    npu_device.global_options().precision_mode = args.precision_mode
    npu_device.global_options().dump_config.enable_dump = True
    npu_device.open().as_default()
#### findings
4 auto
5 auto
#### on a condition
import npu_device
npu_device.open().as_default()
if args.dump:
    npu_device.global_options().dump_config.enable_dump = True
#### findings
4 manual
#### from what is made in between
import npu_device
npu_device.open().as_default()
mode = choose()
npu_device.global_options().precision_mode = mode
#### findings
4 manual
