#### a method of its own, in float32
import torch
from torch import nn

class RMSNorm(torch.nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        """Normalise."""
        # as in the paper
        output = self._norm(x.float()).type_as(x)
        return output * self.weight
#### with tune=yes
#### after
import torch
import torch_npu
from torch import nn

class RMSNorm(torch.nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        """Normalise."""
        # as in the paper
        if x.is_npu and x.dtype == self.weight.dtype:
            return torch_npu.npu_rms_norm(x, self.weight, epsilon=self.eps)[0]
        output = self._norm(x.float()).type_as(x)
        return output * self.weight
#### findings
13 auto-check
#### step by step, the weight first
import torch
class Norm(torch.nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.ones(hidden_size, dtype=torch.float32))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(dim=-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.gain * hidden_states.to(input_dtype)
#### with tune=yes
#### after
import torch
import torch_npu
class Norm(torch.nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.gain = torch.nn.Parameter(torch.ones(hidden_size, dtype=torch.float32))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        if hidden_states.is_npu and hidden_states.dtype == self.gain.dtype:
            return torch_npu.npu_rms_norm(hidden_states, self.gain, epsilon=self.variance_epsilon)[0]
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(dim=-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.gain * hidden_states.to(input_dtype)
#### other ways to write it
import torch
class A(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x / torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + 1e-5) * self.g
class B(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        root = ((x * x).mean([-1], True) + EPS) ** -0.5
        return self.g * (x * root)
#### with tune=yes
#### after
import torch
import torch_npu
class A(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        if x.is_npu and x.dtype == self.g.dtype:
            return torch_npu.npu_rms_norm(x, self.g, epsilon=1e-5)[0]
        return x / torch.sqrt(torch.mean(x ** 2, dim=-1, keepdim=True) + 1e-5) * self.g
class B(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        if x.is_npu and x.dtype == self.g.dtype:
            return torch_npu.npu_rms_norm(x, self.g, epsilon=EPS)[0]
        root = ((x * x).mean([-1], True) + EPS) ** -0.5
        return self.g * (x * root)
