#### several devices need several processes
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '0,1,2,3'
#### findings
2 manual
#### a device, or none
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '-1' if device < 0 else str(device)
os.environ['CUDA_VISIBLE_DEVICES'] = args.gpu or ''
os.environ.update(CUDA_VISIBLE_DEVICES=args.gpu)
#### findings
2 manual
3 manual
#### programs kept off GPUs
import os
os.environ['CUDA_VISIBLE_DEVICES'] = ''
os.environ['CUDA_VISIBLE_DEVICES'] = '-1'
#### findings
2 info
3 info
#### reading it
import os
count = len(os.environ['CUDA_VISIBLE_DEVICES'].split(','))
first = os.environ.get('CUDA_VISIBLE_DEVICES', '0')
third = os.getenv('CUDA_VISIBLE_DEVICES')
#### findings
2 manual
3 manual
4 manual
#### other variables
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
os.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'
#### a variable that cannot be seen
import os
os.environ[name] = '0'
#### a dictionary of the same name
environ = {}
environ['CUDA_VISIBLE_DEVICES'] = '0'
#### somebody else's environment
from settings import environ
environ['CUDA_VISIBLE_DEVICES'] = '0'
#### taking it out
import os
os.environ.pop('CUDA_VISIBLE_DEVICES', None)
del os.environ['CUDA_VISIBLE_DEVICES']
#### migrated already
import os
os.environ['ASCEND_DEVICE_ID'] = '0'
#### in a text
import os
print("set CUDA_VISIBLE_DEVICES first")
#### a device picked by rank is the business of distributed training
import os
import horovod.tensorflow as hvd
os.environ['CUDA_VISIBLE_DEVICES'] = str(hvd.local_rank())
