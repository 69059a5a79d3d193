#### looking for mpirun
import os
def is_using_hvd():
    return all(var in os.environ for var in ["OMPI_COMM_WORLD_RANK", 'OMPI_COMM_WORLD_SIZE'])
#### with distributed=horovod
#### after
import os
def is_using_hvd():
    return all(var in os.environ for var in ["RANK_ID", 'RANK_SIZE'])
#### findings
3 auto-check
3 auto-check
#### asking for the rank
import os
local = int(os.environ.get('OMPI_COMM_WORLD_LOCAL_RANK', 0))
rank = os.getenv('HOROVOD_RANK')
#### with distributed=horovod
#### after
import os
local = int(os.environ.get('ASCEND_DEVICE_ID', 0))
rank = os.getenv('RANK_ID')
