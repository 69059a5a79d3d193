#### ranks read as numbers
import os
size = int(os.getenv('RANK_SIZE'))
rank = int(os.environ.get("RANK_ID"))  # mine
#### after
import os
size = int(os.getenv('RANK_SIZE', '1'))
rank = int(os.environ.get("RANK_ID", "0"))  # mine
#### findings
2 auto
3 auto
#### the device
from os import getenv
device = int(getenv('ASCEND_DEVICE_ID'))
#### after
from os import getenv
device = int(getenv('ASCEND_DEVICE_ID', '0'))
