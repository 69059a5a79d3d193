"""Write the final weights of a PyTorch training, and those of its last checkpoint.

These are the weights of the modules whose parameters an optimizer updates, under their names in the
module. Wrappers for several devices are removed.
"""

import gc
from multiprocessing import util

from ascendify_startup import final_weights
from ascendify_startup.process_rank import rank
from ascendify_startup.torch_values import as_array, is_divided

_DIVIDING = "FullyShardedDataParallel"
_WRAPPERS = ("DataParallel", "DistributedDataParallel", _DIVIDING)
_PREFIX = "module."
_DEEPEST = 12
"""Maximum depth of nested containers in a checkpoint."""


class Weights(object):
    """The modules that the optimizers of this process train."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._seen = []
        self._kept = {}
        self._divided = set()
        """Parameters of which each rank has a part, by identity."""

    def saw(self, optimizer):
        """Store the modules that an optimizer trains, at its first step."""
        if any(optimizer is one for one in self._seen):
            return
        if not self._seen:
            # also runs in processes forked by multiprocessing, where atexit does not
            util.Finalize(None, self._write, exitpriority=100)
        self._seen.append(optimizer)
        trained = [one for group in optimizer.param_groups for one in group["params"]]
        left = {id(one): one for one in trained}
        for wrapped in _roots(trained):
            module = _unwrapped(wrapped)
            name = self._free_name(type(module).__name__)
            for part, tensor in _named_tensors(module):
                self._kept["%s/%s" % (name, part)] = tensor
                left.pop(id(tensor), None)
            self._divided.update(_flattened(wrapped))
        for number, tensor in enumerate(left.values()):
            self._kept["optimizer%d/parameter%d" % (len(self._seen), number)] = tensor

    def _name(self, name, tensor):
        """Return the name of a tensor; if it is a part, with the rank that has it."""
        if id(tensor) in self._divided or is_divided(tensor):
            return "%s, part of rank %d" % (name, rank())
        return name

    def _free_name(self, name):
        taken = {key.split("/")[0] for key in self._kept}
        number, free = 1, name
        while free in taken:
            number += 1
            free = "%s%d" % (name, number)
        return free

    def _write(self):
        weights = {
            self._name(name, tensor): as_array(tensor) for name, tensor in self._kept.items()
        }
        final_weights.keep(self._recorder, weights)


def _flattened(module):
    """Return the parameters that ``FullyShardedDataParallel`` has joined and divided."""
    return {
        id(one)
        for part in module.modules()
        if type(part).__name__ == _DIVIDING
        for one in part.parameters()
    }


def _roots(trained):
    """Return the outermost modules with some of the parameters, in the order of the parameters."""
    import torch

    wanted = {id(one): number for number, one in reversed(list(enumerate(trained)))}
    first = {}
    for found in gc.get_objects():
        # by its type: other objects may override __class__ with side effects
        if issubclass(type(found), torch.nn.Module) and "_parameters" in found.__dict__:
            numbers = [wanted[id(one)] for one in found.parameters() if id(one) in wanted]
            if numbers:
                first[id(found)] = (min(numbers), found)
    inner = {
        id(part) for _, found in first.values() for part in found.modules() if part is not found
    }
    outer = [entry for key, entry in first.items() if key not in inner]
    return [module for _, module in sorted(outer, key=lambda entry: entry[0])]


def _unwrapped(module):
    while type(module).__name__ in _WRAPPERS and hasattr(module, "module"):
        module = module.module
    return module


def _named_tensors(module):
    for name, tensor in (*module.named_parameters(), *module.named_buffers()):
        yield name.replace(_PREFIX, ""), tensor


def watch_saving(recorder):
    """Write the tensors of the last saved object, so that it need not be unpickled."""
    import torch

    original = torch.save

    def save(obj, f, *args, **kwargs):
        original(obj, f, *args, **kwargs)
        weights = dict(_tensors(obj, ""))
        if weights:
            final_weights.keep(recorder, weights, "checkpoint")

    torch.save = torch.serialization.save = save


def _tensors(value, path, depth=0):
    """Yield floating point tensors; others are counters and states of random generators."""
    import torch

    if isinstance(value, torch.nn.Module):
        value = value.state_dict()
    if isinstance(value, torch.Tensor):
        if value.is_floating_point():
            yield path or "tensor", as_array(value)
    elif depth < _DEEPEST and isinstance(value, (dict, list, tuple)):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            name = str(key).replace(_PREFIX, "")
            for found in _tensors(one, path + "/" + name if path else name, depth + 1):
                yield found
