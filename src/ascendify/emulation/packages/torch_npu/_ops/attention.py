"""npu_* attention, computed directly by its formula."""

import torch
import torch.nn.functional as F

_FAR = 2147483647
# values of sparse_mode of npu_fusion_attention, which decides the meaning of atten_mask
_GIVEN, _WHOLE, _CAUSAL_TOP, _CAUSAL_BOTTOM, _BAND = 0, 1, 2, 3, 4


def npu_fusion_attention(
    query,
    key,
    value,
    head_num,
    input_layout,
    pse=None,
    padding_mask=None,
    atten_mask=None,
    scale=1.0,
    keep_prob=1.0,
    pre_tockens=_FAR,
    next_tockens=_FAR,
    inner_precise=0,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    sparse_mode=0,
    gen_mask_parallel=True,
    sync=False,
    softmax_layout="",
    sink=None,
    dropout_mask=None,
    seed=0,
    offset=0,
):
    """Dropout(Softmax(Mask(scale * (pse + q k^T)))) v, and the values that training needs.

    Returns the result, maxima and sums of the softmax (eight equal columns), an empty tensor, and
    three numbers about the dropout mask.
    """
    _refuse("npu_fusion_attention", padding_mask=padding_mask, prefix=prefix, sink=sink)
    masks = (atten_mask, sparse_mode, pre_tockens, next_tockens)
    if input_layout == "TND":
        parts = _variable_lengths(
            query, key, value, actual_seq_qlen, actual_seq_kvlen, pse, masks, scale, keep_prob
        )
        output, maxima, sums = (torch.cat(some) for some in zip(*parts))
    else:
        heads = [_to_heads(tensor, head_num, query, input_layout) for tensor in (query, key, value)]
        output, maxima, sums = _attend(*heads, pse, masks, scale, keep_prob)
        output = _from_heads(output, input_layout)
    return (
        output,
        maxima.expand(*maxima.shape[:-1], 8),
        sums.expand(*sums.shape[:-1], 8),
        query.new_empty(0),
        seed,
        offset,
        0,
    )


def npu_fusion_attention_v2(
    query,
    key,
    value,
    head_num,
    input_layout,
    *,
    pse=None,
    padding_mask=None,
    atten_mask=None,
    query_rope=None,
    key_rope=None,
    scale=1.0,
    keep_prob=1.0,
    pre_tokens=_FAR,
    next_tokens=_FAR,
    inner_precise=0,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    sparse_mode=0,
    gen_mask_parallel=True,
    sync=False,
    pse_type=1,
    q_start_idx=None,
    kv_start_idx=None,
    softmax_layout="",
    sink=None,
    dropout_mask=None,
    seed=0,
    offset=0,
):
    """npu_fusion_attention with other position encodings, of which only pse_type 1 is emulated."""
    _refuse("npu_fusion_attention_v2", query_rope=query_rope, key_rope=key_rope)
    if pse_type != 1:
        raise NotImplementedError("npu_fusion_attention_v2(pse_type=%s) is not emulated" % pse_type)
    return npu_fusion_attention(
        query,
        key,
        value,
        head_num,
        input_layout,
        pse,
        padding_mask,
        atten_mask,
        scale,
        keep_prob,
        pre_tokens,
        next_tokens,
        inner_precise,
        prefix,
        actual_seq_qlen,
        actual_seq_kvlen,
        sparse_mode,
        sink=sink,
        seed=seed,
        offset=offset,
    )


def npu_prompt_flash_attention(
    query,
    key,
    value,
    *,
    padding_mask=None,
    atten_mask=None,
    pse_shift=None,
    actual_seq_lengths=None,
    deq_scale1=None,
    quant_scale1=None,
    deq_scale2=None,
    quant_scale2=None,
    quant_offset2=None,
    num_heads=1,
    scale_value=1.0,
    pre_tokens=_FAR,
    next_tokens=0,
    input_layout="BSH",
    num_key_value_heads=0,
    actual_seq_lengths_kv=None,
    sparse_mode=0,
):
    """Attention for inference on whole prompts; without quantisation and lengths per row."""
    _refuse(
        "npu_prompt_flash_attention",
        padding_mask=padding_mask,
        actual_seq_lengths=actual_seq_lengths,
        actual_seq_lengths_kv=actual_seq_lengths_kv,
        deq_scale1=deq_scale1,
        quant_scale1=quant_scale1,
        deq_scale2=deq_scale2,
        quant_scale2=quant_scale2,
        quant_offset2=quant_offset2,
    )
    heads = [_to_heads(tensor, num_heads, query, input_layout) for tensor in (query, key, value)]
    masks = (atten_mask, sparse_mode, pre_tokens, next_tokens)
    output, _, _ = _attend(*heads, pse_shift, masks, scale_value, 1.0)
    return _from_heads(output, input_layout)


def npu_fused_attention_score(
    query_layer,
    key_layer,
    value_layer,
    attention_mask,
    scale,
    keep_prob,
    query_transpose=False,
    key_transpose=False,
    bmm_score_transpose_a=False,
    bmm_score_transpose_b=False,
    value_transpose=False,
    dx_transpose=False,
):
    """BERT's attention with an additive mask; the heads of the result are concatenated."""
    scores = query_layer @ key_layer.transpose(-1, -2) * scale + attention_mask
    weights = F.dropout(F.softmax(scores, -1), 1 - keep_prob)
    output = (weights @ value_layer).transpose(1, 2)
    return output.reshape(-1, output.shape[-2] * output.shape[-1])


def _refuse(name, **given):
    for argument, value in given.items():
        if value is not None:
            raise NotImplementedError("%s(%s=...) is not emulated" % (name, argument))


def _to_heads(tensor, head_num, query, layout):
    """Reshape to batch, heads, positions, size of a head."""
    if layout == "BNSD":
        return tensor
    if layout == "BSND":
        return tensor.transpose(1, 2)
    if layout == "SBH":
        tensor = tensor.transpose(0, 1)
    elif layout != "BSH":
        raise ValueError("input_layout %r: expected one of BSH, SBH, BSND, BNSD, TND" % layout)
    size = query.shape[-1] // head_num
    return tensor.reshape(tensor.shape[0], tensor.shape[1], -1, size).transpose(1, 2)


def _from_heads(output, layout):
    if layout == "BNSD":
        return output
    output = output.transpose(1, 2)
    if layout == "BSND":
        return output.contiguous()
    output = output.reshape(output.shape[0], output.shape[1], -1)
    return output.transpose(0, 1).contiguous() if layout == "SBH" else output


def _variable_lengths(query, key, value, ends, kv_ends, pse, masks, scale, keep_prob):
    """Attention over concatenated sequences, each attending only to itself."""
    if ends is None or kv_ends is None:
        raise ValueError(
            'input_layout "TND" needs actual_seq_qlen and actual_seq_kvlen, the ends of the '
            "sequences, e.g. [2, 4, 7] for lengths 2, 2 and 3"
        )
    ends, kv_ends = [int(end) for end in ends], [int(end) for end in kv_ends]
    for start, end, kv_start, kv_end in zip([0] + ends, ends, [0] + kv_ends, kv_ends):
        heads = [
            tensor[first:last].transpose(0, 1).unsqueeze(0)
            for tensor, first, last in (
                (query, start, end),
                (key, kv_start, kv_end),
                (value, kv_start, kv_end),
            )
        ]
        mask = masks[0]
        if mask is not None and masks[1] == _GIVEN:
            mask = mask[: end - start, : kv_end - kv_start]
        results = _attend(*heads, pse, (mask,) + masks[1:], scale, keep_prob)
        yield [result[0].transpose(0, 1) for result in results]


def _attend(query, key, value, pse, masks, scale, keep_prob):
    if key.shape[1] != query.shape[1]:
        times = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(times, 1), value.repeat_interleave(times, 1)
    scores = (query @ key.transpose(-1, -2)).float()
    if pse is not None:
        scores = scores + pse
    scores = scores * scale
    masked = _masked_out(scores, *masks)
    if masked is not None:
        scores = scores.masked_fill(masked, float("-inf"))
    maxima = scores.amax(-1, keepdim=True)
    # a fully masked row gives zeros
    maxima = maxima.masked_fill(maxima == float("-inf"), 0.0).detach()
    powers = (scores - maxima).exp()
    sums = powers.sum(-1, keepdim=True)
    weights = powers / sums.masked_fill(sums == 0, 1.0)
    if keep_prob < 1:
        weights = F.dropout(weights, 1 - keep_prob)
    return weights.to(value.dtype) @ value, maxima, sums.detach()


def _masked_out(scores, mask, mode, before, after):
    """Return the mask of scores: True excludes a score."""
    rows, columns = scores.shape[-2:]
    if mode in (_GIVEN, _WHOLE):
        if mask is None:
            return None
        masked = mask.bool()
        if mode == _GIVEN and (before < columns or after < columns):
            masked = masked | _outside(scores, before, after, 0)
        return masked
    if mode == _CAUSAL_TOP:
        return _outside(scores, _FAR, 0, 0)
    if mode == _CAUSAL_BOTTOM:
        return _outside(scores, _FAR, 0, columns - rows)
    if mode == _BAND:
        return _outside(scores, before, after, columns - rows)
    raise NotImplementedError("npu_fusion_attention(sparse_mode=%s) is not emulated" % mode)


def _outside(scores, before, after, shift):
    rows, columns = scores.shape[-2:]
    row = torch.arange(rows, device=scores.device).unsqueeze(1) + shift
    column = torch.arange(columns, device=scores.device).unsqueeze(0)
    return (column < row - before) | (column > row + after)
