#### what runs on NPUs
import torch
import deepspeed
from deepspeed.ops.adam import DeepSpeedCPUAdam
a = DeepSpeedCPUAdam(params)
engine, optimizer, _, _ = deepspeed.initialize(model=model, config=config)
#### a name of the user's
import torch
from optimizers import FusedAdam
a = FusedAdam(params)
