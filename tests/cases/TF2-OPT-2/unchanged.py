#### right ones
import npu_device
npu_device.global_options().dump_config.enable_dump = True
npu_device.global_options().deterministic = 1
npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.global_options().dump_config.dump_step = '0|5'
#### not set
import npu_device
npu_device.global_options().precision_mode = None
#### what nobody knows
import npu_device
npu_device.global_options().precision_mode = args.precision_mode
#### a path that is made later
import npu_device
npu_device.global_options().dump_config.dump_path = './dump'
#### sessions have bytes
import npu_device
custom_op.parameter_map['precision_mode'].s = b'allow_mix_precision'
