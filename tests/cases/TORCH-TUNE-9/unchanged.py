#### not requested
import torch
import torch_npu
for x in loader:
    model(x.npu()).sum().backward()
#### findings
#### one of them is set
import torch
import torch_npu
torch.npu.set_compile_mode(jit_compile=True)
model(x.npu()).sum().backward()
#### with tune=yes
#### findings
#### options that choose among kernels
import torch
import torch_npu
torch.npu.set_option({"ACL_OP_COMPILER_CACHE_MODE": "enable"})
model(x.npu()).sum().backward()
#### with tune=yes
#### findings
#### a script that does not train
import torch
import torch_npu
print(model(x.npu()))
#### with tune=yes
#### findings
#### imports in a function
def main():
    import torch
    import torch_npu
    model(x.npu()).sum().backward()
main()
#### with tune=yes
#### findings
