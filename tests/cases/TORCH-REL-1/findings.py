#### a name that came with a later stack
import torch
import torch_npu
context = torch.npu.StreamContext(stream)
#### with torch_npu=2.5.1
#### findings
3 manual
#### a name the release has
import torch
import torch_npu
context = torch.npu.StreamContext(stream)
#### with torch_npu=2.5.1.post1
#### a name that is gone
import torch
import torch_npu
context = torch.npu.MemPoolContext(pool)
#### findings
3 manual
#### an operator that came later
import torch_npu
out = torch_npu.npu_fusion_attention_v3(q, k, v, 8, "BSH")
#### with torch_npu=2.9.0
#### findings
2 manual
#### an argument that came later
import torch
import torch_npu
a = torch.npu.is_bf16_supported(including_emulation=False)
b = torch_npu.npu_fusion_attention(q, k, v, 8, "BSH", sink=s)
#### with torch_npu=2.8.0
#### findings
3 manual
4 manual
#### arguments the release takes
import torch
import torch_npu
a = torch.npu.is_bf16_supported(including_emulation=False)
b = torch_npu.npu_fusion_attention(q, k, v, 8, "BSH", sink=s)
#### with torch_npu=2.7.1.post8
#### what an import leads to
from torch.cuda import nvtx
import torch.cuda.nvtx as marks
nvtx.range_push("a")
marks.range_pop()
nvtx.mark("b")
#### with torch_npu=2.7.1.post2
#### findings
3 manual
4 manual
#### what is rewritten is reported by the rule that does so
import torch
torch.cuda.nvtx.range_push("a")
#### with torch_npu=2.7.1.post2
#### what the vendor's switch leads to
import torch
torch.cuda.host_memory_stats()
torch.cuda.synchronize()
#### with torch_npu=2.7.1.post2 style=transfer
#### findings
2 manual
#### a name of no release, and one of every release
import torch
import torch_npu
torch.npu.something_of_ours()
torch.npu.synchronize()
