"""MultiheadAttention with the arguments of fairseq's class."""

import torch
import torch.nn.functional as F
from torch import nn


class MultiheadAttention(nn.Module):
    """Attention over time x batch x channel, or (batch * time) x channel with the lengths given."""

    def __init__(
        self,
        embed_dim,
        num_heads,
        kdim=None,
        vdim=None,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        self_attention=False,
        encoder_decoder_attention=False,
        q_noise=0.0,
        qn_block_size=8,
    ):
        super().__init__()
        if add_bias_kv or add_zero_attn or q_noise:
            raise NotImplementedError(
                "MultiheadAttention: add_bias_kv, add_zero_attn and q_noise are not emulated"
            )
        if embed_dim % num_heads:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim**-0.5
        self.dropout = dropout
        self.self_attention = self_attention
        self.encoder_decoder_attention = encoder_decoder_attention
        self.k_proj = nn.Linear(self.kdim, embed_dim, bias=bias)
        self.v_proj = nn.Linear(self.vdim, embed_dim, bias=bias)
        self.q_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Xavier weights, smaller where query, key and value are one size."""
        same = self.kdim == self.embed_dim and self.vdim == self.embed_dim
        for layer in (self.k_proj, self.v_proj, self.q_proj):
            nn.init.xavier_uniform_(layer.weight, gain=2**-0.5 if same else 1.0)
        nn.init.xavier_uniform_(self.out_proj.weight)
        if self.out_proj.bias is not None:
            nn.init.constant_(self.out_proj.bias, 0.0)

    def forward(
        self,
        query,
        key,
        value,
        bsz,
        tgt_len,
        s_len,
        key_padding_mask=None,
        incremental_state=None,
        need_weights=True,
        static_kv=False,
        attn_mask=None,
        before_softmax=False,
        need_head_weights=False,
    ):
        if incremental_state is not None or before_softmax:
            raise NotImplementedError(
                "MultiheadAttention: incremental_state and before_softmax are not emulated"
            )
        key = query if self.self_attention or key is None else key
        value = key if self.self_attention or self.encoder_decoder_attention else value
        q = self._heads(self.q_proj(query) * self.scaling, bsz, tgt_len)
        k = self._heads(self.k_proj(key), bsz, s_len)
        v = self._heads(self.v_proj(value), bsz, s_len)
        scores = q @ k.transpose(-1, -2)
        if attn_mask is not None:
            scores = scores + attn_mask
        if key_padding_mask is not None:
            hidden = key_padding_mask.to(torch.bool).view(bsz, 1, 1, s_len)
            scores = scores.masked_fill(hidden, float("-inf"))
        weights = F.softmax(scores.float(), -1).to(scores.dtype)
        mixed = F.dropout(weights, self.dropout, self.training) @ v
        output = self.out_proj(mixed.transpose(1, 2).reshape(bsz * tgt_len, self.embed_dim))
        if query.dim() == 3:
            output = output.view(bsz, tgt_len, self.embed_dim).transpose(0, 1)
        if not (need_weights or need_head_weights):
            return output, None
        shown = weights.float().transpose(0, 1)
        return output, shown if need_head_weights else shown.mean(0)

    def _heads(self, tensor, batch, length):
        if tensor.dim() == 3:
            tensor = tensor.transpose(0, 1)
        return tensor.reshape(batch, length, self.num_heads, self.head_dim).transpose(1, 2)
