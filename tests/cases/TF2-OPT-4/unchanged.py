#### its value
import npu_device
mixed = npu_device.global_options().precision_mode.value == 'allow_mix_precision'
#### only shown
import npu_device
print(npu_device.global_options().precision_mode)
#### set
import npu_device
npu_device.global_options().precision_mode = 'allow_mix_precision'
#### other options
import argparse
args = argparse.ArgumentParser().parse_args()
mixed = args.precision_mode == 'allow_mix_precision'
