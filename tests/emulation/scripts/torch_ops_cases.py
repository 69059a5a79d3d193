"""The operators torch_npu.npu_* against plain formulas on the CPU, values and gradients."""

import inspect
import math
import warnings

import torch
import torch.nn.functional as F  # noqa: N812
import torch_npu
from torch_harness import case, close, main, raises, same
from torch_npu import _ops, _release

torch.manual_seed(7)


def both(operator, formula, *tensors, tolerance=1e-5):
    """Values and gradients of an operator on the NPU and of a formula on the CPU agree."""
    here = [tensor.clone().requires_grad_(tensor.is_floating_point()) for tensor in tensors]
    there = [
        tensor.npu().requires_grad_() if tensor.is_floating_point() else tensor.npu()
        for tensor in tensors
    ]
    expected, found = formula(*here), operator(*there)
    assert found.device.type == "npu"
    close(found.detach(), expected.detach(), tolerance)
    weights = torch.randn(expected.shape)
    (expected * weights).sum().backward()
    (found * weights.npu()).sum().backward()
    for one, other in zip(there, here):
        if other.is_floating_point():
            assert one.grad.device.type == "npu"
            close(one.grad, other.grad, tolerance)


@case
def losses_take_class_numbers_of_32_bits():
    for shape in ((4, 5), (2, 5, 3, 3)):
        labels = torch.randint(0, 5, (shape[0], *shape[2:]))
        scores = torch.randn(shape)
        found = []
        for kind in (torch.int64, torch.int32):
            there = scores.npu().requires_grad_()
            loss = F.cross_entropy(there, labels.npu().to(kind))
            loss.backward()
            found.append((loss.cpu(), there.grad.cpu()))
        assert all(torch.equal(one, other) for one, other in zip(*found))


@case
def every_operator_of_the_list_exists():
    absent = _release.chosen().lacks().get("torch_npu", {})
    for name in _ops.signatures():
        assert callable(getattr(torch_npu, name, None)) == (name not in absent), name


@case
def arguments_are_those_torch_npu_declares():
    for name, function in _ops.implemented().items():
        signature = _ops.signatures()[name]
        parameters = list(inspect.signature(function).parameters)
        if not signature or "out" in parameters:
            continue
        overload = [*signature.split("(")[0].split("."), "default"][1]
        schema = getattr(getattr(torch.ops.npu, name), overload)._schema
        assert parameters == [argument.name for argument in schema.arguments], name


@case
def operators_not_emulated_say_so():
    raises(
        NotImplementedError, "torch_npu.npu_mla_prolog is not emulated", torch_npu.npu_mla_prolog, 1
    )


@case
def operators_left_torch():
    raises(RuntimeError, "Use torch_npu.npu_silu instead", torch.npu_silu, torch.ones(1))


@case
def operators_are_in_torch_ops_npu():
    x = torch.randn(3, 4)
    same(torch.ops.npu.npu_silu(x.npu()), F.silu(x))
    values, indices = torch.ops.npu.npu_max.dim(x.npu(), 1)
    same(values, x.max(1).values)
    assert indices.dtype == torch.int32


@case
def linear_and_products():
    x, w, b = torch.randn(3, 4), torch.randn(5, 4), torch.randn(5)
    both(torch_npu.npu_linear, F.linear, x, w, b)
    left, right = torch.randn(2, 3, 4), torch.randn(2, 4, 5)
    both(lambda a, c: torch_npu.npu_bmmV2(a, c, []), torch.matmul, left, right)
    both(
        lambda a, c: torch_npu.npu_bmmV2(a, c, [6, 5]),
        lambda a, c: torch.matmul(a, c).view(6, 5),
        left,
        right,
    )
    image, kernel = torch.randn(1, 2, 6, 6), torch.randn(3, 2, 3, 3)
    both(
        lambda a, c: torch_npu.npu_conv2d(a, c, None, [2, 2], [1, 1], [1, 1], 1),
        lambda a, c: F.conv2d(a, c, None, 2, 1),
        image,
        kernel,
    )
    both(
        lambda a, c: torch_npu.npu_conv_transpose2d(a, c, None, [1, 1], [0, 0], [2, 2], [1, 1], 1),
        lambda a, c: F.conv_transpose2d(a, c, None, 2, 1),
        torch.randn(1, 3, 4, 4),
        kernel,
    )


ACTIVATIONS = {
    "npu_silu": F.silu,
    "npu_gelu": F.gelu,
    "npu_mish": F.mish,
    "npu_fast_gelu": lambda x: x / (1 + torch.exp(-1.702 * x)),
    "fast_gelu": lambda x: x / (1 + torch.exp(-1.702 * x)),
    "npu_swiglu": lambda x: F.silu(x[..., :3]) * x[..., 3:],
    "npu_gelu_mul": lambda x: F.gelu(x[..., :3]) * x[..., 3:],
}


@case
def activations():
    for name, formula in ACTIVATIONS.items():
        if name in _release.chosen().lacks().get("torch_npu", {}):
            continue
        both(getattr(torch_npu, name), formula, torch.randn(4, 6))
    both(
        lambda x: torch_npu.npu_geglu(x)[0],
        lambda x: x[..., :3] * F.gelu(x[..., 3:], approximate="tanh"),
        torch.randn(4, 6),
    )


def rms(x, gamma):
    return x / (x.pow(2).mean(-1, keepdim=True) + 1e-6).sqrt() * gamma


@case
def norms():
    x, y, gamma, beta = torch.randn(2, 3, 8), torch.randn(2, 3, 8), torch.randn(8), torch.randn(8)
    both(lambda a, g: torch_npu.npu_rms_norm(a, g)[0], rms, x, gamma)
    both(
        lambda a, b, g: torch_npu.npu_add_rms_norm(a, b, g)[0],
        lambda a, b, g: rms(a + b, g),
        x,
        y,
        gamma,
    )
    both(lambda a, g: torch_npu.npu_gemma_rms_norm(a, g)[0], lambda a, g: rms(a, 1 + g), x, gamma)
    both(
        lambda a, b, g, h: torch_npu.npu_add_layer_norm(a, b, g, h)[0],
        lambda a, b, g, h: F.layer_norm(a + b, (8,), g, h),
        x,
        y,
        gamma,
        beta,
    )
    both(
        lambda a, b, h, g: torch_npu.npu_deep_norm(a, b, h, g)[2],
        lambda a, b, h, g: F.layer_norm(0.3 * a + b, (8,), g, h, 1e-6),
        x,
        y,
        beta,
        gamma,
    )
    both(
        lambda a, g, h: torch_npu.npu_layer_norm_eval(a, [8], g, h),
        lambda a, g, h: F.layer_norm(a, (8,), g, h),
        x,
        gamma,
        beta,
    )
    image, weight, bias = torch.randn(2, 6, 4, 4), torch.randn(6), torch.randn(6)
    both(
        lambda a, g, h: torch_npu.npu_group_norm_silu(a, g, h, 3)[0],
        lambda a, g, h: F.silu(F.group_norm(a, 3, g, h)),
        image,
        weight,
        bias,
    )
    _, mean, rstd = torch_npu.npu_group_norm_silu(image.npu(), weight.npu(), bias.npu(), 3)
    expected = torch.ops.aten.native_group_norm(image, weight, bias, 2, 6, 16, 3, 1e-5)
    close(mean, expected[1])
    close(rstd, expected[2])


@case
def rms_norm_of_half_precision_keeps_its_dtype():
    x, gamma = torch.randn(2, 8).bfloat16(), torch.ones(8).bfloat16()
    result, rstd = torch_npu.npu_rms_norm(x.npu(), gamma.npu())
    assert (result.dtype, rstd.dtype) == (torch.bfloat16, torch.float32)
    close(result, rms(x.float(), 1.0).bfloat16(), 1e-2)


@case
def rotary_embedding():
    x, cos, sin = torch.randn(2, 3, 4, 8), torch.randn(1, 3, 1, 8), torch.randn(1, 3, 1, 8)

    def halves(a, c, s):
        return a * c + torch.cat([-a[..., 4:], a[..., :4]], -1) * s

    def pairs(a, c, s):
        turned = torch.empty_like(a)
        turned[..., ::2], turned[..., 1::2] = -a[..., 1::2], a[..., ::2]
        return a * c + turned * s

    both(torch_npu.npu_rotary_mul, halves, x, cos, sin)
    both(lambda a, c, s: torch_npu.npu_rotary_mul(a, c, s, "interleave"), pairs, x, cos, sin)
    short = [one[0].npu() for one in (x, cos, sin)]
    raises(RuntimeError, "must have 4 dimensions", torch_npu.npu_rotary_mul, *short)
    odd = [one[..., :7].npu() for one in (x, cos, sin)]
    raises(RuntimeError, "must be even and below 896", torch_npu.npu_rotary_mul, *odd)


@case
def softmax_and_losses():
    x, mask = torch.randn(2, 1, 4, 4), torch.rand(2, 1, 4, 4) > 0.7
    both(
        lambda a, m: torch_npu.npu_scaled_masked_softmax(a, m, 0.5),
        lambda a, m: F.softmax((a * 0.5).masked_fill(m, -10000.0), -1),
        x,
        mask,
    )
    logits, classes = torch.randn(5, 7), torch.randint(0, 7, (5,))
    hot = F.one_hot(classes, 7).float()
    both(
        lambda a: torch_npu.npu_softmax_cross_entropy_with_logits(a, hot.npu()),
        lambda a: F.cross_entropy(a, classes, reduction="none"),
        logits,
    )
    both(
        lambda a: torch_npu.npu_cross_entropy_loss(a, classes.npu(), label_smoothing=0.1)[0],
        lambda a: F.cross_entropy(a, classes, label_smoothing=0.1),
        logits,
    )


@case
def moving_and_cutting():
    x = torch.randn(2, 3, 4)
    both(
        lambda a: torch_npu.npu_confusion_transpose(a, (0, 2, 1), (2, 12), True),
        lambda a: a.permute(0, 2, 1).reshape(2, 12),
        x,
    )
    both(
        lambda a: torch_npu.npu_confusion_transpose(a, (1, 0), (6, 4), False),
        lambda a: a.reshape(6, 4).t(),
        x,
    )
    both(lambda a: torch_npu.npu_transpose(a, (2, 0, 1)), lambda a: a.permute(2, 0, 1), x)
    both(lambda a: torch_npu.npu_reshape(a, (6, 4)), lambda a: a.reshape(6, 4), x)
    both(lambda a: torch_npu.npu_slice(a, [0, 1, 1], [2, 2, -1]), lambda a: a[:, 1:3, 1:], x)
    both(lambda a: torch_npu.npu_pad(a, [0, 0, 1, 0, 0, 2]), lambda a: F.pad(a, [0, 2, 1, 0]), x)
    both(lambda a: torch_npu.npu_broadcast(a, (5, 2, 3, 4)), lambda a: a.expand(5, 2, 3, 4), x)
    both(
        lambda a: torch_npu.npu_indexing(a, [0, 1, 0], [2, 3, 4], [1, 1, 2], shrink_axis_mask=2),
        lambda a: a[0:2, 1, 0:4:2],
        x,
    )
    both(lambda a: torch_npu.npu_sort_v2(a, 1, True), lambda a: a.sort(1, True).values, x)
    both(
        lambda a: torch_npu.npu_dtype_cast(a, torch.float16).float(), lambda a: a.half().float(), x
    )


@case
def one_hot():
    found = torch_npu.npu_one_hot(torch.tensor([0, 2]).npu(), -1, 3, 5, 1)
    same(found, torch.tensor([[5.0, 1.0, 1.0], [1.0, 1.0, 5.0]]))


@case
def sign_bits():
    x = torch.tensor([1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, 1.0])
    packed = torch_npu.npu_sign_bits_pack(x.npu(), 1)
    assert packed.tolist() == [[0b10001101]]
    same(torch_npu.npu_sign_bits_unpack(packed, 1, torch.float32), x.view(1, -1))


@case
def tokens_go_to_their_experts_and_back():
    tokens, experts = torch.randn(3, 4), torch.tensor([[1, 0], [0, 2], [2, 1]])
    sorted_tokens, places = torch_npu.npu_moe_token_permute(tokens.npu(), experts.npu())
    same(sorted_tokens, tokens[[0, 1, 0, 2, 1, 2]])
    shares = torch.tensor([[0.25, 0.75], [0.5, 0.5], [0.1, 0.9]])
    close(torch_npu.npu_moe_token_unpermute(sorted_tokens, places, shares.npu()), tokens)


def attention(q, k, v, scale, hidden=None):
    scores = q @ k.transpose(-1, -2) * scale
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ v


def fused(layout, **named):
    return lambda q, k, v: torch_npu.npu_fusion_attention(q, k, v, 2, layout, scale=0.5, **named)[0]


@case
def attention_in_every_layout():
    q, k, v = (torch.randn(2, 2, 5, 4) for _ in range(3))
    expected = attention(q, k, v, 0.5)
    both(fused("BNSD"), lambda *qkv: attention(*qkv, 0.5), q, k, v)
    moves = {
        "BSND": lambda x: x.transpose(1, 2),
        "BSH": lambda x: x.transpose(1, 2).reshape(2, 5, 8),
        "SBH": lambda x: x.permute(2, 0, 1, 3).reshape(5, 2, 8),
    }
    for layout, move in moves.items():
        close(fused(layout)(*(move(x).npu() for x in (q, k, v))), move(expected))
    rows = [x.transpose(1, 2).reshape(10, 2, 4).npu() for x in (q, k, v)]
    found = fused("TND", actual_seq_qlen=[5, 10], actual_seq_kvlen=[5, 10])(*rows)
    close(found, expected.transpose(1, 2).reshape(10, 2, 4))


@case
def attention_masks():
    q, k, v = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 5, 4), torch.randn(1, 2, 5, 4)
    row, column = torch.arange(3).view(3, 1), torch.arange(5).view(1, 5)
    given = torch.rand(3, 5) > 0.6
    given[:, 0] = False
    compressed = torch.ones(8, 8, dtype=torch.bool).triu(1).npu()
    table = [
        ({"atten_mask": given.npu()}, given),
        ({"atten_mask": compressed, "sparse_mode": 2}, column > row),
        ({"atten_mask": compressed, "sparse_mode": 3}, column > row + 2),
        (
            {
                "atten_mask": compressed,
                "sparse_mode": 4,
                "pre_tockens": 1,
                "next_tockens": 0,
            },
            (column > row + 2) | (column < row + 1),
        ),
    ]
    for named, hidden in table:
        both(fused("BNSD", **named), lambda a, b, c, h=hidden: attention(a, b, c, 0.5, h), q, k, v)


@case
def attention_shares_keys_between_heads_and_returns_seven_things():
    q, k, v = torch.randn(1, 4, 3, 4), torch.randn(1, 2, 3, 4), torch.randn(1, 2, 3, 4)
    found = torch_npu.npu_fusion_attention(q.npu(), k.npu(), v.npu(), 4, "BNSD", scale=0.5)
    repeated = [x.repeat_interleave(2, 1) for x in (k, v)]
    close(found[0], attention(q, *repeated, 0.5))
    assert len(found) == 7
    assert found[1].shape == found[2].shape == (1, 4, 3, 8)
    scores = q @ repeated[0].transpose(-1, -2) * 0.5
    close(found[1][..., 0], scores.amax(-1))


@case
def attention_drops_out():
    q = torch.randn(1, 1, 64, 4)
    found = torch_npu.npu_fusion_attention(q.npu(), q.npu(), q.npu(), 1, "BNSD", keep_prob=0.5)[0]
    assert (found.cpu() - attention(q, q, q, 1.0)).abs().max() > 0.01


@case
def attention_refuses_an_unknown_layout():
    q = torch.randn(1, 1, 2, 4).npu()
    raises(ValueError, "BSH, SBH, BSND", torch_npu.npu_fusion_attention, q, q, q, 1, "NBSD")
    raises(
        ValueError, "actual_seq_qlen", torch_npu.npu_fusion_attention, q[0], q[0], q[0], 1, "TND"
    )


@case
def overlaps():
    boxes = torch.tensor([[0.0, 0.0, 10.0, 10.0], [10.0, 10.0, 20.0, 20.0]])
    true = torch.tensor([[0.0, 0.0, 10.0, 20.0], [10.0, 10.0, 20.0, 20.0]])
    close(torch_npu.npu_iou(boxes.npu(), true.npu()), torch.tensor([[0.5, 0], [0, 1.0]]), 1e-4)
    close(torch_npu.npu_ptiou(boxes.npu(), true.npu(), 1), torch.tensor([[0.5, 0], [0, 1.0]]), 1e-4)
    found = torch_npu.npu_giou(boxes.t().npu(), true.t().npu())
    close(found, torch.tensor([[0.5], [1.0]]), 1e-6)
    crossed = torch_npu.npu_giou(boxes.t().npu(), true.t().npu(), is_cross=True)
    close(crossed, torch.tensor([[0.5, -0.5], [-0.25, 1.0]]), 1e-5)


def iou_term(one, two, with_shape):
    """The complete or distance overlap of boxes (x, y, w, h), box by box."""
    results = []
    for (x, y, w, h), (a, b, c, d) in zip(one.t(), two.t()):
        left, right = torch.maximum(x - w / 2, a - c / 2), torch.minimum(x + w / 2, a + c / 2)
        top, bottom = torch.maximum(y - h / 2, b - d / 2), torch.minimum(y + h / 2, b + d / 2)
        inside = (right - left).clamp(min=0) * (bottom - top).clamp(min=0)
        overlap = inside / (w * h + c * d - inside)
        wide = torch.maximum(x + w / 2, a + c / 2) - torch.minimum(x - w / 2, a - c / 2)
        high = torch.maximum(y + h / 2, b + d / 2) - torch.minimum(y - h / 2, b - d / 2)
        result = overlap - ((x - a) ** 2 + (y - b) ** 2) / (wide**2 + high**2)
        if with_shape:
            shape = 4 / math.pi**2 * (torch.atan(c / d) - torch.atan(w / h)) ** 2
            result = result - shape * (shape / (1 - overlap + shape)).detach()
        results.append(result)
    return torch.stack(results).unsqueeze(0)


@case
def overlaps_with_distance_and_shape():
    one, two = torch.rand(4, 6) + 0.5, torch.rand(4, 6) + 0.5
    both(
        lambda a, b: torch_npu.npu_diou(a, b, trans=True),
        lambda a, b: iou_term(a, b, False),
        one,
        two,
        tolerance=1e-4,
    )
    both(
        lambda a, b: torch_npu.npu_ciou(a, b, trans=True, is_cross=False),
        lambda a, b: iou_term(a, b, True),
        one,
        two,
        tolerance=1e-4,
    )
    raises(RuntimeError, "is_cross=False", torch_npu.npu_ciou, one.npu(), two.npu())


@case
def coders_of_boxes():
    anchors = torch.tensor([[1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0]]).npu()
    true = torch.tensor([[5.0, 6.0, 7.0, 8.0], [7.0, 8.0, 9.0, 10.0]]).npu()
    encoded = torch_npu.npu_bounding_box_encode(anchors, true, 0, 0, 0, 0, 0.1, 0.1, 0.2, 0.2)
    close(encoded, torch.tensor([[40 / 3, 40 / 3, 0, 0]] * 2), 1e-4)
    decoded = torch_npu.npu_bounding_box_decode(
        anchors, encoded, 0, 0, 0, 0, 0.1, 0.1, 0.2, 0.2, (100, 100), 16 / 1000
    )
    close(decoded, true, 1e-4)
    deltas = torch.tensor([[5.0, 6.0, 7.0, 8.0]]).npu()
    cut = torch_npu.npu_bounding_box_decode(
        anchors[:1], deltas, 0, 0, 0, 0, 1, 1, 1, 1, (10, 10), 0.1
    )
    close(cut, torch.tensor([[2.5, 6.5, 9.0, 9.0]]), 1e-4)


@case
def suppression():
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 10, 10], [20, 20, 30, 30]])
    scores = torch.tensor([0.9, 0.8, 0.7])
    rows = torch.cat([boxes, scores.unsqueeze(1)], 1).npu()
    _, numbers, mask = torch_npu.npu_nms_with_mask(rows, 0.5)
    assert (numbers.tolist(), mask.tolist()) == ([0, 1, 2], [1, 0, 1])
    chosen, number = torch_npu.npu_nms_v4(
        boxes.npu(), scores.npu(), 5, torch.tensor(0.5).npu(), torch.tensor(0.75).npu()
    )
    assert (chosen.tolist(), number.item()) == ([0], 1)
    found = torch_npu.npu_batch_nms(
        boxes.view(1, 3, 1, 4).npu(), scores.view(1, 3, 1).npu(), 0.3, 0.5, 4, 4
    )
    close(found[1], torch.tensor([[0.9, 0.7, 0, 0]]))
    assert found[3].tolist() == [2]


@case
def regions():
    image = torch.arange(1.0, 37.0).view(1, 1, 6, 6)
    rois = torch.tensor([[0, -2.0, -2.0, 22.0, 22.0]])
    expected = torch.tensor([[4.5, 6.5, 8.5], [16.5, 18.5, 20.5], [28.5, 30.5, 32.5]])
    found = torch_npu.npu_roi_align(image.npu(), rois.npu(), 0.25, 3, 3, 2, 0)
    close(found, expected.view(1, 1, 3, 3))
    image = image.npu().requires_grad_()
    torch_npu.npu_roi_align(image, rois.npu(), 0.25, 3, 3, 2, 0).sum().backward()
    close(image.grad.sum(), 9.0)


@case
def deformable_convolution_without_shifts_is_a_convolution():
    image, weight, bias = torch.randn(2, 4, 6, 5), torch.randn(3, 4, 3, 3), torch.randn(3)
    shifts = torch.zeros(2, 18, 6, 5)
    offset = torch.cat([shifts, torch.ones(2, 9, 6, 5)], 1)
    both(
        lambda a, w, b: torch_npu.npu_deformable_conv2d(
            a, w, offset.npu(), b, [3, 3], [1, 1, 1, 1], [1, 1, 1, 1]
        )[0],
        lambda a, w, b: F.conv2d(a, w, b, padding=1),
        image,
        weight,
        bias,
        tolerance=1e-4,
    )


@case
def deformable_convolution_moves_its_samples():
    image = torch.randn(1, 1, 6, 6)
    offset = torch.cat([torch.ones(1, 1, 6, 6), torch.zeros(1, 1, 6, 6), torch.ones(1, 1, 6, 6)], 1)
    found, _ = torch_npu.npu_deformable_conv2d(
        image.npu(), torch.ones(1, 1, 1, 1).npu(), offset.npu(), None, [1, 1], [1, 1, 1, 1], [0] * 4
    )
    close(found, F.pad(image[..., 1:], [0, 1]))


@case
def random_choice():
    mask = torch.tensor([[True, False, True], [False, True, False]]).npu()
    places, real = torch_npu.npu_random_choice_with_mask(mask, 5)
    assert real.tolist() == [True] * 3 + [False] * 2
    assert sorted(places[:3].tolist()) == [[0, 0], [0, 2], [1, 1]]


@case
def dropout_and_its_mask():
    x = torch.ones(1000).npu()
    result, mask = torch_npu._npu_dropout(x, 0.25)
    kept = (result > 0).float().mean().item()
    assert 0.65 < kept < 0.85, kept
    same(torch_npu.npu_dropout_do_mask(x, mask, 0.25)[0], result)
    close(result.max(), 1 / 0.75)
    scores, other = torch.randn(2, 2, 4, 4), torch.randn(2, 2, 4, 4)
    _, softmax, dropped = torch_npu.npu_dropout_with_add_softmax(
        scores.npu(), other.npu(), 0.125, 0.0, -1
    )
    close(softmax, F.softmax(other + 0.125 * scores, -1))
    same(dropped, softmax)


@case
def steps_of_adam():
    var, m, v, grad = (torch.rand(6) for _ in range(4))
    var_n, m_n, v_n = (x.clone().npu() for x in (var, m, v))
    torch_npu.npu_apply_adam_w(
        0.9, 0.99, 0.1, 0.01, 0.9, 0.99, 1e-8, grad.npu(), None, False, False, out=(var_n, m_n, v_n)
    )
    parameter = torch.nn.Parameter(var.clone())
    optimizer = torch.optim.AdamW([parameter], lr=0.1, betas=(0.9, 0.99), weight_decay=0.01)
    parameter.grad = grad
    optimizer.state[parameter] = {"step": torch.tensor(1.0), "exp_avg": m, "exp_avg_sq": v}
    optimizer.step()
    close(var_n, parameter.detach())
    raises(
        RuntimeError,
        "out=(var, m, v)",
        torch_npu.npu_apply_adam,
        1,
        1,
        1,
        1,
        1,
        1,
        grad.npu(),
        False,
        False,
    )


@case
def overflow_status_is_never_set():
    status = torch_npu.npu_alloc_float_status(torch.ones(1).npu())
    assert torch_npu.npu_get_float_status(status).tolist() == [0.0] * 8


@case
def formats_are_remembered():
    x = torch.randn(2, 3, 4, 4).npu()
    assert torch_npu.get_npu_format(x) == torch_npu.Format.NCHW
    assert torch_npu.get_npu_format(x[0]) == torch_npu.Format.ND
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        cast = torch_npu.npu_format_cast(x, 29)
    assert "allow_internel_format=False" in str(said[-1].message)
    assert torch_npu.get_npu_format(cast) == torch_npu.Format.NCHW
    torch.npu.config.allow_internal_format = True
    try:
        cast = torch_npu.npu_format_cast(x, 29)
        same(cast, x)
        assert torch_npu.get_npu_format(cast) == torch_npu.Format.FRACTAL_NZ == 29
        assert torch_npu.get_npu_format(x) == torch_npu.Format.NCHW
        torch_npu.npu_format_cast_(x, cast)
        assert torch_npu.get_npu_format(x) == 29
    finally:
        torch.npu.config.allow_internal_format = False
    raises(RuntimeError, "NPU tensor", torch_npu.get_npu_format, torch.ones(1))


@case
def layers_of_contrib():
    from torch_npu.contrib import module

    torch.manual_seed(0)
    smooth = module.LabelSmoothingCrossEntropy(5, 0.1)
    logits, target = torch.randn(3, 5), torch.tensor([0, 3, 4])
    spread = torch.full((3, 5), 0.1 / 4).scatter(1, target.view(-1, 1), 0.9)
    close(smooth(logits.npu(), target.npu()), -(spread * logits.log_softmax(-1)).sum(-1).mean())
    focus = module.Focus(3, 4).npu()
    assert focus(torch.randn(2, 3, 8, 8).npu()).shape == (2, 4, 4, 4)
    dcn = module.DCNv2(3, 4, 3, padding=1).npu()
    image = torch.randn(1, 3, 5, 5).npu()
    half = F.conv2d(image, dcn.weight, None, padding=1) * 0.5
    close(dcn(image).detach(), half.detach())
    first, second = module.ChannelShuffle(4)(
        torch.zeros(1, 2, 1, 1).npu(), torch.ones(1, 2, 1, 1).npu()
    )
    assert first.flatten().tolist() == second.flatten().tolist() == [0.0, 1.0]
    batches = [(torch.full((1,), float(i)), torch.tensor([i])) for i in range(2)]
    ahead, seen = module.Prefetcher(batches), []
    batch, _ = ahead.next()
    while batch is not None:
        assert batch.device.type == "npu"
        seen.append(batch.item())
        batch, _ = ahead.next()
    assert seen == [0.0, 1.0]
    norm = module.FastBatchNorm2d(3).npu()
    norm(torch.randn(2, 3, 4, 4).npu())
    assert (norm.num_batches_tracked.dtype, norm.num_batches_tracked.item()) == (torch.int32, 1)
    ours = module.MultiheadAttention(8, 2, self_attention=True).npu()
    x = torch.randn(4, 3, 8).npu()
    found, weights = ours(x, x, x, 3, 4, 4)
    assert (found.shape, weights.shape) == ((4, 3, 8), (3, 4, 4))
    raises(NotImplementedError, "not emulated", module.LinearQuant, 1, 2)


@case
def functions_of_contrib():
    from torch_npu.contrib import function

    x = torch.randn(2, 4, 4, 3)
    same(function.roll(x.npu(), (1, 2), (1, 2)), torch.roll(x, (1, 2), (1, 2)))
    left, right = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    close(function.matmul_transpose(left.npu(), right.npu()), left @ right.transpose(1, 2))
    put = function.npu_fast_condition_index_put(x.npu(), (x > 0).npu(), 7)
    same(put, torch.where(x > 0, 7.0, x))
    boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 10, 10]]).npu()
    scores = torch.tensor([[0.9, 0.1], [0.8, 0.2]]).npu()
    found, classes = function.npu_multiclass_nms(boxes, scores, max_num=3)
    assert (found.shape, classes.tolist()) == ((3, 5), [0.0, 0.0, 0.0])
    close(found[:, 4].float(), torch.tensor([0.9, 0, 0]), 1e-3)


if __name__ == "__main__":
    main()
