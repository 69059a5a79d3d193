"""Parts of transformers that torch_npu fuses."""

import math
import warnings

import torch
import torch.nn.functional as F


def matmul_transpose(tensor1, tensor2):
    """tensor1 @ tensor2 with the last two dimensions of tensor2 exchanged."""
    return torch.matmul(tensor1, tensor2.transpose(-2, -1))


def dropout_with_byte_mask(input1, p=0.5, training=True, inplace=False):
    """F.dropout."""
    if p < 0.0 or p > 1.0:
        raise ValueError("dropout probability has to be between 0 and 1, but got %s" % p)
    if inplace:
        raise ValueError("dropout probability has no-inplace computing.")
    return F.dropout(input1, p, training)


def fuse_add_softmax_dropout(
    training, dropout, attn_mask, attn_scores, attn_head_size, p=0.5, dim=-1
):
    """Dropout of softmax(mask + scores / sqrt(size of a head))."""
    scores = torch.add(attn_mask, attn_scores, alpha=1 / math.sqrt(attn_head_size))
    probabilities = F.softmax(scores, dim=dim)
    return F.dropout(probabilities, p, training)


def npu_fused_attention(
    hidden_states,
    attention_mask,
    query_kernel,
    key_kernel,
    value_kernel,
    query_bias,
    key_bias,
    value_bias,
    scale=1,
    keep_prob=0,
):
    """Attention of BERT, heads of size 64, on (batch * positions) x hidden states."""
    batch = attention_mask.shape[0]
    heads = hidden_states.shape[1] // 64

    def layer(kernel, bias):
        made = F.linear(hidden_states, kernel.t(), bias)
        return made.view(batch, -1, heads, 64).transpose(1, 2)

    query, key, value = (
        layer(kernel, bias)
        for kernel, bias in (
            (query_kernel, query_bias),
            (key_kernel, key_bias),
            (value_kernel, value_bias),
        )
    )
    weights = F.softmax(query @ key.transpose(-1, -2) * scale + attention_mask, -1)
    context = F.dropout(weights, 1 - keep_prob) @ value
    return context.transpose(1, 2).reshape(hidden_states.shape)


def npu_fused_attention_with_layernorm(
    hidden_states,
    attention_mask,
    query_kernel,
    key_kernel,
    value_kernel,
    query_bias,
    key_bias,
    value_bias,
    gamma,
    beta,
    scale=1,
    keep_prob=0,
):
    """npu_fused_attention of normalised hidden states, which are returned too."""
    warnings.warn(
        "torch_npu.contrib.npu_fused_attention_with_layernorm is deprecated and will be removed "
        "in a future version. Use torch_npu.npu_fusion_attention and torch.nn.LayerNorm instead.",
        FutureWarning,
        stacklevel=2,
    )
    normal = F.layer_norm(hidden_states, hidden_states.shape[1:], gamma, beta)
    context = npu_fused_attention(
        normal,
        attention_mask,
        query_kernel,
        key_kernel,
        value_kernel,
        query_bias,
        key_bias,
        value_bias,
        scale,
        keep_prob,
    )
    return context, normal
