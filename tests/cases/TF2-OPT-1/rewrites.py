#### the tuner that was taken out
import npu_device
npu_device.global_options().auto_tune_mode = 'RL,GA'
#### after
import npu_device
npu_device.global_options().aoe_config.aoe_mode = '2'
#### findings
2 auto-check
#### behind a switch
import npu_device as npu
if args.auto_tune:
    npu.global_options().auto_tune_mode = "RL,GA"
#### after
import npu_device as npu
if args.auto_tune:
    npu.global_options().aoe_config.aoe_mode = "2"
#### findings
3 auto-check
#### off
import npu_device
npu_device.global_options().auto_tune_mode = ''
npu_device.open().as_default()
#### after
import npu_device
npu_device.open().as_default()
#### findings
2 auto
#### a value that is not known
import npu_device
npu_device.global_options().auto_tune_mode = args.auto_tune_mode
#### findings
2 manual
#### the name that sessions have
import npu_device
npu_device.global_options().enable_dump = True
#### after
import npu_device
npu_device.global_options().dump_config.enable_dump = True
#### findings
2 auto
#### misspelt
import npu_device
npu_device.global_options().precison_mode = 'allow_mix_precision'
#### findings
2 manual
#### through variables
import npu_device
options = npu_device.global_options()
options.dump_config.dump_pth = './dump'
dump = options.dump_config
dump.dump_setp = '10'
#### findings
3 manual
5 manual
