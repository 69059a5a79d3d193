#### variables of mpirun
import os
import tensorflow as tf
distributed = 'OMPI_COMM_WORLD_SIZE' in os.environ
rank = int(os.getenv("OMPI_COMM_WORLD_RANK", "0"))
#### with distributed=horovod
#### after
import os
import tensorflow as tf
distributed = 'RANK_SIZE' in os.environ
rank = int(os.getenv("RANK_ID", "0"))
#### findings
3 auto-check
4 auto-check
