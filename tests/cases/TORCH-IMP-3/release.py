#### an import of a name that the release does not have is left alone
from torch.cuda import StreamContext
from torch.cuda import (
    Stream,
    ExternalStream,
)
from torch.cuda import Event
#### with torch_npu=2.5.1
#### after
from torch.cuda import StreamContext
from torch.cuda import (
    Stream,
    ExternalStream,
)
from torch_npu.npu import Event
