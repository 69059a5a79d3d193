#### right ones
import npu_device
npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.global_options().dump_config.enable_dump = True
npu_device.global_options().profiling_config.profiling_options = '{}'
npu_device.global_options().aoe_config.aoe_mode = '2'
npu_device.global_options().experimental.graph_memory_optimize_config.recompute = 'auto'
#### a group as a whole
import npu_device
npu_device.global_options().dump_config = dump
#### somebody else's options
import settings
settings.global_options().auto_tune_mode = 'RL,GA'
#### a variable that is not the options
import npu_device
options = parse()
options.auto_tune_mode = 'x'
#### another attribute of a module
import npu_device
npu_device.precison_mode = 'x'
