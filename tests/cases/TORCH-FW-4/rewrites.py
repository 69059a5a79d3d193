#### comparisons
from accelerate import Accelerator, DistributedType
import accelerate
accelerator = Accelerator()
several = accelerator.distributed_type == DistributedType.MULTI_GPU
if accelerator.distributed_type in (accelerate.DistributedType.MULTI_GPU,):
    pass
#### after
from accelerate import Accelerator, DistributedType
import accelerate
accelerator = Accelerator()
several = accelerator.distributed_type == DistributedType.MULTI_NPU
if accelerator.distributed_type in (accelerate.DistributedType.MULTI_NPU,):
    pass
