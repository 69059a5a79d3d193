#### mpi4py
from mpi4py import MPI
#### with distributed=horovod
#### findings
1 manual
#### a raw string
import os
rank = os.getenv(r'PMI_RANK')
#### with distributed=horovod
#### findings
2 manual
#### a project without Horovod
import os
rank = os.getenv('OMPI_COMM_WORLD_RANK')
#### part of a longer text
print('set OMPI_COMM_WORLD_RANK first')
#### with distributed=horovod
#### other variables
import os
os.getenv('RANK_ID')
os.getenv('HOROVOD_GPU_ALLREDUCE')
#### with distributed=horovod
#### a comment
# OMPI_COMM_WORLD_RANK
#### with distributed=horovod
#### the variable of a launcher for NPUs
import os
size = int(os.getenv('RANK_SIZE', '1'))
#### with distributed=horovod
