"""A language model with the layers of Llama: RMSNorm, rotary embedding, SwiGLU."""

import torch
import torch.nn as nn
import torch.nn.functional as F  # noqa: N812


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x):
        """Normalise."""
        output = self._norm(x.float()).type_as(x)
        return output * self.weight


class OtherNorm(nn.Module):
    def __init__(self, hidden_size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.variance_epsilon = eps

    def forward(self, hidden_states):
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + self.variance_epsilon)
        return self.weight * hidden_states.to(input_dtype)


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(q, k, cos, sin, unsqueeze_dim=1):
    cos = cos.unsqueeze(unsqueeze_dim)
    sin = sin.unsqueeze(unsqueeze_dim)
    q_embed = (q * cos) + (rotate_half(q) * sin)
    k_embed = (k * cos) + (rotate_half(k) * sin)
    return q_embed, k_embed


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = RMSNorm(dim), OtherNorm(dim)
        self.qkv, self.o = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.w1, self.w2, self.w3 = (
            nn.Linear(dim, 2 * dim),
            nn.Linear(2 * dim, dim),
            nn.Linear(dim, 2 * dim),
        )

    def forward(self, x, cos, sin):
        b, s, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, s, d))
        x = self.n2(x)
        return x + self.w2(F.silu(self.w1(x)) * self.w3(x))


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dim, heads = 32, 2
    emb, block, head = nn.Embedding(11, dim), Block(dim, heads), nn.Linear(dim, 11)
    model = nn.ModuleList([emb, block, head]).to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    t = torch.arange(8)[:, None] / 10000 ** (torch.arange(0, 16, 2) / 16)
    cos, sin = (
        torch.cat((t, t), -1).cos()[None].to(device),
        torch.cat((t, t), -1).sin()[None].to(device),
    )
    for step in range(6):
        x = torch.randint(0, 11, (4, 8), device=device)
        loss = F.cross_entropy(head(block(emb(x), cos, sin)).flatten(0, 1), x.roll(1, 1).flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
