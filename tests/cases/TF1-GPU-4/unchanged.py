#### variables everybody reads
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['TF_CONFIG'] = json.dumps(cluster)
os.environ['OMP_NUM_THREADS'] = '4'
#### the variables of NPUs
import os
os.environ['HCCL_CONNECT_TIMEOUT'] = '600'
#### the device is another rule's business
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
#### mixed precision is another rule's business
import os
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '1'
#### where CUDA is installed
import os
os.environ['CUDA_HOME'] = '/usr/local/cuda'
#### a value that does something is left and reported
import os
os.environ['NCCL_DEBUG'] = ask_the_user()
#### findings
2 info
#### reading
import os
if os.environ.get('TF_XLA_FLAGS'):
    print(os.environ['NCCL_DEBUG'])
#### somebody else's dictionary
environ = {}
environ['NCCL_DEBUG'] = 'INFO'
#### in a text
flags = 'export TF_XLA_FLAGS=1'
#### a variable the program reads is left and reported
import os
os.environ['TF_GPU_THREAD_MODE'] = 'gpu_private'
print(os.environ['TF_GPU_THREAD_MODE'])
#### findings
2 info
