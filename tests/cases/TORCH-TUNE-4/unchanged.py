#### noted without --tune
import torch
class A(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
#### findings
5 info
#### not that norm
import torch
class OverAnotherDimension(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-6) * self.g
class WithoutEpsilon(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)) * self.g
class WithABias(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g + self.b
class OnePlusTheWeight(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * (1 + self.g)
class Summed(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6) * self.g
class Cubed(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(3).mean(-1, keepdim=True) + 1e-6) * self.g
class OfSomethingElse(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        y = x.relu()
        return x * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
#### with tune=yes
#### a weight that is no vector, or may be none
import torch
class Matrix(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n, n))
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
class Maybe(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n)) if n else None
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
class Given(torch.nn.Module):
    def __init__(self, g):
        self.g = g
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
#### with tune=yes
#### more than the norm
import torch
class Prints(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x):
        print(x.shape)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
class Decides(torch.nn.Module):
    def __init__(self, n):
        self.g = torch.nn.Parameter(torch.ones(n))
    def forward(self, x, on=True):
        if on:
            x = x * 2
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.g
#### with tune=yes
