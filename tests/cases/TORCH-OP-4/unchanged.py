#### a sparse tensor, once a file
import torch
def load(indices, values, size):
    adjacency = torch.sparse.FloatTensor(indices, values, size)
    return torch.spmm(adjacency, x) + torch.sparse.mm(adjacency, x)
#### findings
3 manual
#### made from coordinates
from torch import sparse_coo_tensor
made = sparse_coo_tensor(i, v)
#### findings
2 manual
#### dense tensors, a module of another name, and embeddings whose gradients are sparse
import torch
import torch_sparse
a = torch.mm(x, y)
b = torch_sparse.spmm(i, v, 2, 2, x)
c = torch.nn.Embedding(4, 2)
