"""Base class of the fused optimizers: parameters, gradients and state in combined memory.

The first step(), zero_grad() or clip_grad_norm_fused_() after a backward pass determines the
parameters that take part and moves their gradients into one block of memory per dtype. A gradient
that appears later, or that model.zero_grad() replaced, is ignored. torch_npu behaves in the same
way, without the warning that is given here.
"""

import warnings

import torch
from torch.optim.optimizer import Optimizer

from ..utils.combine_tensors import (
    get_part_combined_tensor,
    is_combined_tensor_valid,
    npu_combine_tensors,
)

_DTYPES = (torch.float32, torch.float16)


class NpuFusedOptimizerBase(Optimizer):
    """Base class; a subclass defines its state and the update of one flat tensor."""

    def __init__(self, params, default):
        super().__init__(params, default)
        self._forget_combined()

    def _forget_combined(self):
        self.combined_params_indexed_by_group = None
        self.combined_grads_indexed_by_group = None
        self.combined_param_states_indexed_by_group = None
        self.params_lists_indexed_by_group = []
        self.params_all_group_combined = 2 * [None]
        self.grads_all_group_combined = 2 * [None]
        self.is_params_grads_combined = False
        self.is_states_combined = False
        self.is_fused_optimizer = True
        self._has_warned = False

    def state_tensors(self, group):
        """Return {name: initial value} of the state tensors for each parameter of a group."""
        raise NotImplementedError("%s does not say what it keeps" % type(self).__name__)

    def update(self, group, param, grad, state, params):
        """Update the flat tensors of a group and dtype; params are the parameters in them."""
        raise NotImplementedError("%s has no update" % type(self).__name__)

    def _maybe_init_combined_params_and_grads(self):
        if self.is_params_grads_combined:
            return
        lists = [self._params_with_gradient(group) for group in self.param_groups]
        for at in range(len(_DTYPES)):
            params = [param for group in lists for param in group[at]]
            grads = [_contiguous_gradient(param) for param in params]
            self.params_all_group_combined[at] = npu_combine_tensors(params)
            self.grads_all_group_combined[at] = npu_combine_tensors(grads)
        self.params_lists_indexed_by_group = lists
        self.combined_params_indexed_by_group = self._by_group(self.params_all_group_combined)
        self.combined_grads_indexed_by_group = self._by_group(self.grads_all_group_combined)
        self.is_params_grads_combined = any(
            combined is not None for combined in self.params_all_group_combined
        )

    def _params_with_gradient(self, group):
        lists = [[], []]
        for param in group["params"]:
            if param.grad is None:
                continue
            if param.grad.is_sparse:
                raise RuntimeError("%s does not support sparse gradients" % type(self).__name__)
            if param.dtype not in _DTYPES:
                raise TypeError(
                    "Fused optimizer's parameters must be either float32 or float16, but received "
                    "%s" % param.dtype
                )
            lists[_DTYPES.index(param.dtype)].append(param)
        return lists

    def _by_group(self, combined):
        starts = [0, 0]
        parts = []
        for group in self.params_lists_indexed_by_group:
            sizes = [sum(param.numel() for param in params) for params in group]
            parts.append(
                [
                    get_part_combined_tensor(combined[at], starts[at], sizes[at])
                    for at in range(len(_DTYPES))
                ]
            )
            starts = [start + size for start, size in zip(starts, sizes)]
        return parts

    def _maybe_init_combined_states(self):
        if self.is_states_combined:
            return
        self.combined_param_states_indexed_by_group = [
            [self._combine_states(group, params) for params in lists]
            for group, lists in zip(self.param_groups, self.params_lists_indexed_by_group)
        ]
        self.is_states_combined = True

    def _combine_states(self, group, params):
        combined = {"step": 0, "is_new": True}
        for name, start in self.state_tensors(group).items():
            for param in params:
                kept = self.state[param].get(name)
                combined["is_new"] = kept is None
                own = torch.full_like(param, start, memory_format=torch.contiguous_format)
                if kept is not None:
                    own.copy_(kept)
                self.state[param][name] = own.detach()
            combined[name] = npu_combine_tensors([self.state[param][name] for param in params])
        for param in params:
            # torch.optim stores the step in a tensor; its state may have been loaded
            combined["step"] = self.state[param]["step"] = int(self.state[param].get("step", 0))
        return combined

    @torch.no_grad()
    def step(self, closure=None):
        """One step of optimization; as in torch_npu, a closure runs without recording gradients."""
        loss = None if closure is None else closure()
        self._maybe_init_combined_params_and_grads()
        self._maybe_init_combined_states()
        self._warn_of_lost_gradients()
        self.before_groups()
        for at, group in enumerate(self.param_groups):
            self._group_step(at, group)
        return loss

    def before_groups(self):
        """Run code for all groups together before the step; a subclass may override it."""

    def _group_step(self, at, group):
        if at >= len(self.params_lists_indexed_by_group):
            raise IndexError(
                "list index out of range: parameter group %d was added after the first step; "
                "%s takes no groups then. Add it before the first step or build a new optimizer."
                % (at, type(self).__name__)
            )
        for param, grad, state, params in zip(
            self.combined_params_indexed_by_group[at],
            self.combined_grads_indexed_by_group[at],
            self.combined_param_states_indexed_by_group[at],
            self.params_lists_indexed_by_group[at],
        ):
            if param is None:
                continue
            self.update(group, param, grad, state, params)
            state["step"] += 1
            state["is_new"] = False
            for each in params:
                self.state[each]["step"] = state["step"]

    def _warn_of_lost_gradients(self):
        if self._has_warned:
            return
        lost = [
            param
            for group in self.param_groups
            for param in group["params"]
            if param.grad is not None
            and param.dtype in _DTYPES
            and not is_combined_tensor_valid(
                self.grads_all_group_combined[_DTYPES.index(param.dtype)], [param.grad]
            )
        ]
        if lost and self.is_params_grads_combined:
            self._has_warned = True
            warnings.warn(
                "%s: the gradients of %d parameters (the first of shape %s) are not part of the "
                "combined memory that the first step fixed, so this optimizer does not see them, "
                "here as on an NPU. Clear gradients with optimizer.zero_grad(), not with "
                "model.zero_grad() or param.grad = None, and let every parameter have a gradient "
                "in the first step." % (type(self).__name__, len(lost), tuple(lost[0].shape)),
                stacklevel=4,
            )

    @torch.no_grad()
    def zero_grad(self, set_to_none=False):
        """Fill the combined gradients with zeros; they cannot be set to None."""
        if set_to_none:
            raise ValueError("set_to_none is not supported in fused optimizers")
        self._maybe_init_combined_params_and_grads()
        if not self.is_params_grads_combined:
            super().zero_grad(set_to_none)
            return
        for combined in self.grads_all_group_combined:
            if combined is not None:
                combined.zero_()

    def get_combined_params(self):
        """Return the flat parameters of all groups: float32, float16; None if there are none."""
        return self.params_all_group_combined

    def get_combined_grads(self):
        """Return the flat gradients of all groups: float32, float16; None if there are none."""
        return self.grads_all_group_combined

    @torch.no_grad()
    def clip_grad_norm_fused_(self, max_norm, norm_type=2):
        """Scale the combined gradients down to a norm; return their original norm."""
        self._maybe_init_combined_params_and_grads()
        grads = [grad for grad in self.grads_all_group_combined if grad is not None]
        if not grads:
            return torch.tensor(0.0)
        norm_type = float(norm_type)
        if norm_type == torch.inf:
            norm = max(grad.float().abs().max() for grad in grads)
        else:
            powers = torch.stack([grad.float().abs().pow(norm_type).sum() for grad in grads])
            norm = powers.sum().pow(1 / norm_type)
        factor = float(max_norm) / (norm + 1e-6)
        if factor < 1:
            for grad in grads:
                grad.mul_(factor)
        return norm

    def load_state_dict(self, state_dict):
        """Load saved state; it is combined again at the next step."""
        super().load_state_dict(state_dict)
        self.is_states_combined = False

    def __setstate__(self, state):
        super().__setstate__(state)
        self._forget_combined()


def _contiguous_gradient(param):
    if not param.grad.is_contiguous():
        param.grad = param.grad.contiguous()
    return param.grad


def check_range(name, value, low, high=None):
    """Refuse a hyperparameter outside of low <= value (< high)."""
    if value < low or (high is not None and value >= high):
        raise ValueError("Invalid %s: %s" % (name, value))


def check_betas(betas):
    """Refuse coefficients of moments outside of 0 to 1."""
    for at, beta in enumerate(betas):
        check_range("beta parameter at index %d" % at, beta, 0.0, 1.0)
