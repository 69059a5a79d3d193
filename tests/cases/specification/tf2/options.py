#### requested with migrate: set before the NPU is opened
import tensorflow as tf

weight = tf.Variable(1.0)
print(weight.assign_add(1.0))
#### with npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
import npu_device
from npu_options import set_global_options

set_global_options()
npu_device.open().as_default()

weight = tf.Variable(1.0)
print(weight.assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
#### set behind open(), which reads them
import npu_device
import tensorflow as tf

npu_device.open().as_default()
npu_device.global_options().precision_mode = 'allow_mix_precision'
weight = tf.Variable(1.0)
#### after
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### findings
5 TF2-OPT-3 auto
#### the tuner of old projects, which raises an error today
import npu_device
import tensorflow as tf

npu_device.global_options().auto_tune_mode = 'RL,GA'
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### after
import npu_device
import tensorflow as tf

npu_device.global_options().aoe_config.aoe_mode = '2'
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### findings
4 TF2-OPT-1 auto-check
#### the options of the BiT guide are right ones
import argparse
import ast
import npu_device
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--precision_mode', default='allow_mix_precision', type=str)
parser.add_argument('--over_dump', type=ast.literal_eval)
parser.add_argument('--over_dump_path', default='/home/data')
parser.add_argument('--data_dump_flag', type=ast.literal_eval)
parser.add_argument('--data_dump_step', default='10')
parser.add_argument('--data_dump_path', default='/home/data')
parser.add_argument('--profiling', type=ast.literal_eval)
parser.add_argument('--profiling_dump_path', default='/home/data')
parser.add_argument('--use_mixlist', type=ast.literal_eval)
parser.add_argument('--mixlist_file', default='ops_info.json')
parser.add_argument('--fusion_off_flag', type=ast.literal_eval)
parser.add_argument('--fusion_off_file', default='fusion_switch.cfg')
args = parser.parse_args()


def npu_config():
    options = npu_device.global_options()
    if args.data_dump_flag:
        options.dump_config.enable_dump = True
        options.dump_config.dump_path = args.data_dump_path
        options.dump_config.dump_step = args.data_dump_step
        options.dump_config.dump_mode = 'all'
    if args.over_dump:
        options.dump_config.enable_dump_debug = True
        options.dump_config.dump_path = args.over_dump_path
        options.dump_config.dump_debug_mode = 'all'
    if args.profiling:
        options.profiling_config.enable_profiling = True
        options.profiling_config.profiling_options = (
            '{"output":"' + args.profiling_dump_path + '", "training_trace":"on", '
            '"task_trace":"on", "aicpu":"on", "aic_metrics":"PipeUtilization", '
            '"fp_point":"", "bp_point":""}')
    options.precision_mode = args.precision_mode
    if args.use_mixlist and args.precision_mode == 'allow_mix_precision':
        options.modify_mixlist = args.mixlist_file
    if args.fusion_off_flag:
        options.fusion_switch_file = args.fusion_off_file
    npu_device.open().as_default()


npu_config()
weight = tf.Variable(1.0)
#### text for a switch
import npu_device
import tensorflow as tf

npu_device.global_options().dump_config.enable_dump = 'True'
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### after
import npu_device
import tensorflow as tf

npu_device.global_options().dump_config.enable_dump = True
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### findings
4 TF2-OPT-2 auto
#### an option that is read is an object
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = 'allow_mix_precision'
if npu_device.global_options().precision_mode == 'allow_mix_precision':
    npu_device.global_options().modify_mixlist = 'ops_info.json'
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### after
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = 'allow_mix_precision'
if npu_device.global_options().precision_mode.value == 'allow_mix_precision':
    npu_device.global_options().modify_mixlist = 'ops_info.json'
npu_device.open().as_default()
weight = tf.Variable(1.0)
#### findings
5 TF2-OPT-4 auto
#### deterministic kernels beside seeds
import tensorflow as tf

tf.random.set_seed(7)
tf.config.experimental.enable_op_determinism()
weight = tf.Variable(1.0)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

tf.random.set_seed(7)
tf.config.experimental.enable_op_determinism()
weight = tf.Variable(1.0)
#### findings
3 TF2-API-2 info
3 TF2-INIT-1 auto
4 TF2-API-3 manual
