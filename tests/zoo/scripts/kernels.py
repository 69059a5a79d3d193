"""Runs kernels in Triton's interpreter beside plain float64 autograd; prints the relative errors.

The interpreter is chosen by an environment variable before Triton is imported, hence a process,
which runs all cases: ``python kernels.py '[["ctc", {"steps": 25, ...}], ...]'``.
"""

import importlib
import json
import sys
import traceback

import torch
from torch.nn import functional


def ctc(steps, samples, classes, longest, symbols, seed):
    from ascendify.zoo.crnn import ctc as kernels

    kernels.has_kernels = lambda _: True
    draws = torch.Generator().manual_seed(seed)
    logits = torch.randn(steps, samples, classes, generator=draws) * 2
    labels = torch.randint(0, symbols, (samples, longest + 1), generator=draws)
    labels = labels[:, :-1]  # rows that lie apart, as those of texts that were decoded
    lengths = torch.randint(0, longest + 1, (samples,), generator=draws)
    lengths[0], lengths[1] = 0, longest
    weights = torch.rand(samples, generator=draws)
    low, high = logits.clone().requires_grad_(), logits.double().requires_grad_()
    found = kernels.ctc_loss(low, labels, lengths, classes - 1)
    wanted = functional.ctc_loss(
        high.log_softmax(-1),
        labels,
        torch.full((samples,), steps),
        lengths,
        blank=classes - 1,
        reduction="none",
        zero_infinity=True,
    )
    (found * weights).sum().backward()
    (wanted * weights.double()).sum().backward()
    return {"loss": error(found, wanted), "logits": error(low.grad, high.grad)}


def plain_decode(inputs, recurrent, to_query, bias, memory, features, v, clip):
    _, samples, wide = inputs.shape
    cell = inputs.new_zeros(samples, wide // 4)
    hidden, context = cell, inputs.new_zeros(samples, memory.shape[2])
    outputs, contexts, weights = [], [], []
    for reported in inputs:
        gates = reported + torch.cat([context, hidden], 1) @ recurrent.t()
        enter, new, keep, leave = gates.chunk(4, 1)
        cell = (keep.sigmoid() * cell + enter.sigmoid() * new.tanh()).clamp(-clip, clip)
        hidden = leave.sigmoid() * cell.tanh()
        query = torch.cat([cell, hidden], 1) @ to_query.t() + bias
        weight = (torch.tanh(memory + query[:, None]) @ v).softmax(-1)
        context = (weight[:, None] @ features)[:, 0]
        outputs.append(hidden)
        contexts.append(context)
        weights.append(weight)
    return torch.stack(outputs), torch.stack(contexts), torch.stack(weights)


def decode(steps, samples, units, channels, positions, clip, seed):
    from ascendify.zoo.attention_ocr.fused import decoder

    torch.manual_seed(seed)
    names = ("inputs", "recurrent", "to_query", "bias", "memory", "features", "v")
    low = [
        torch.randn(steps, samples, 4 * units),
        torch.randn(4 * units, channels + units) * 0.1,
        torch.randn(channels, 2 * units) * 0.3,
        torch.randn(channels),
        torch.randn(samples, positions, channels),
        torch.randn(samples, positions, channels),
        torch.randn(channels),
    ]
    high = [tensor.double().requires_grad_() for tensor in low]
    low = [tensor.requires_grad_() for tensor in low]
    found, wanted = decoder.decode(*low, clip), plain_decode(*high, clip)
    outer = [torch.randn_like(part) for part in wanted[:2]]
    sum((part * by.float()).sum() for part, by in zip(found, outer)).backward()
    sum((part * by).sum() for part, by in zip(wanted, outer)).backward()
    errors = dict(zip(("hidden", "contexts", "weights"), map(error, found, wanted)))
    return {**errors, **{name: error(a.grad, b.grad) for name, a, b in zip(names, low, high)}}


def pool(samples, channels, height, width, seed, holes):
    from ascendify.zoo.attention_ocr import pooling

    torch.manual_seed(seed)
    # whole numbers, many of them equal: of equals the first is chosen
    low = torch.randn(samples, channels, height, width).mul(3).round()
    low = low.to(memory_format=torch.channels_last)
    torch.library.opcheck(pooling._max_pool, (low.clone().requires_grad_(),))
    low[torch.rand(low.shape) < holes] = float("nan")
    low.requires_grad_()
    high = low.detach().double().requires_grad_()
    found, wanted = pooling._max_pool(low)[0], functional.max_pool2d(high, 3, 2)
    outer = torch.randn_like(wanted)
    (found * outer.float()).sum().backward()
    (wanted * outer).sum().backward()
    assert torch.equal(found.isnan(), wanted.isnan())
    return {
        "largest": error(found.nan_to_num(), wanted.nan_to_num()),
        "pictures": error(low.grad, high.grad),
    }


def network(name, samples, seed):
    """The loss and the gradients of a tiny network with its kernels, as where there is a GPU."""
    from ascendify.zoo import networks, settings
    from ascendify.zoo.bench.plain import PLAIN

    recipe = networks.find(name)
    words = [*PLAIN[name].overrides, f"train.batch={samples}"]
    made = recipe(settings.override(networks.preset(recipe, "tiny"), words))
    batch = PLAIN[name].batch(made.config, samples, torch.Generator().manual_seed(seed))
    found = {}
    for kernels in (False, True):
        for module in ("crnn.ctc", "attention_ocr.model", "attention_ocr.pooling"):
            importlib.import_module(f"ascendify.zoo.{module}").has_kernels = lambda _, on=kernels: (
                on
            )
        torch.manual_seed(seed)
        model = made.model()
        loss = made.loss(model, batch)["loss"]
        loss.backward()
        grads = [p.grad.flatten() for p in model.parameters() if p.grad is not None]
        found[kernels] = loss, torch.cat(grads).double()
    (plain, wanted), (fused, grads) = found[False], found[True]
    return {"loss": error(fused, plain.double()), "gradients": error(grads, wanted)}


def error(found, wanted):
    found, wanted = found.detach().double(), wanted.detach()
    return float((found - wanted).norm() / wanted.norm())


def result(kind, arguments):
    """The errors of a case, or what went wrong with it."""
    kinds = {"ctc": ctc, "decode": decode, "pool": pool, "network": network}
    try:
        return kinds[kind](**arguments)
    except Exception:
        return traceback.format_exc()


print(json.dumps([result(kind, arguments) for kind, arguments in json.loads(sys.argv[1])]))
