"""Check the parameters of optimizers: their device, and whether they get gradients."""

import os
import weakref

import torch
from ascendify_runtime import findings, hardware
from torch.optim.optimizer import register_optimizer_step_pre_hook

from torch_npu._watch import cuda_leftovers, operators, user_lines

_STEPS_CHECKED = 100
"""How many steps of an optimizer are checked; a mistake in all of them will persist."""
_states = weakref.WeakKeyDictionary()
"""Optimizer -> its state."""
_all = []
"""The same states, kept after their optimizer is freed."""
_device_recorded = []
_saturates = not hardware.model().inf_nan


class _State:
    """Observations of one optimizer."""

    def __init__(self, optimizer, place):
        self.kind = type(optimizer).__name__
        self.place = place
        self.steps = 0
        self.parameters = 0
        self.on_host = 0
        """Parameters on the host in the last checked step."""
        self.without = None
        """Indices of parameters that never had a gradient."""
        self.empty_steps = 0
        """Steps in which no parameter had a gradient."""
        self.first_with = None
        """Indices of parameters that had a gradient in the first step."""


def begin():
    """Check the steps of every optimizer."""
    register_optimizer_step_pre_hook(_before_step)


def steps():
    """Return the steps of the optimizer with the most steps in this process."""
    return max((state.steps for state in _all), default=0)


def _before_step(optimizer, _args, _kwargs):
    state = _states.get(optimizer)
    if state is None:
        state = _states[optimizer] = _State(optimizer, user_lines.current())
        _all.append(state)
    state.steps += 1
    if state.steps > _STEPS_CHECKED:
        return
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    _update(state, parameters)
    if _saturates:
        _check_overflow(state, parameters)
    if getattr(optimizer, "is_fused_optimizer", False):
        _check_fused(state, parameters)
    if not _device_recorded:
        _record_device(state.place)


def _update(state, parameters):
    state.parameters = len(parameters)
    state.on_host = sum(map(_is_on_host, parameters))
    trained = {number for number, one in enumerate(parameters) if one.requires_grad}
    without = {number for number in trained if parameters[number].grad is None}
    state.without = without if state.without is None else state.without & without
    state.empty_steps += len(without) == len(parameters) or without == trained


def _is_on_host(parameter):
    """Whether a parameter is on the CPU; not if `fully_shard` keeps it there for the NPU."""
    mesh = getattr(parameter, "device_mesh", None)
    return parameter.device.type == "cpu" and getattr(mesh, "device_type", "") != "npu"


def _check_overflow(state, parameters):
    """Record gradients with infinity or NaN, which a 910A does not have."""
    with operators.unwatched():
        overflown = any(
            one.grad is not None and not one.grad.isfinite().all() for one in parameters
        )
    if overflown:
        findings.record_once_a_line(
            "EMU-TORCH-SOC-2",
            findings.MANUAL,
            "a gradient has infinity or NaN: a 910A computes the largest number instead, and the "
            "optimizer steps",
            "Scale the loss with torch.npu.amp.GradScaler, which reads the overflow flag.",
            state.place,
        )


def _check_fused(state, parameters):
    """Record gradients that a fused optimizer misses: it combines them in its first step."""
    having = {number for number, one in enumerate(parameters) if one.grad is not None}
    if state.first_with is None:
        state.first_with = having
        return
    late, gone = having - state.first_with, state.first_with - having
    if late:
        findings.record_once_a_line(
            "EMU-TORCH-OPT-2",
            findings.MANUAL,
            "{} combines parameters in its first step, and {} got a gradient only later".format(
                state.kind, _counted(len(late))
            ),
            "Let every parameter have a gradient in the first step, or use the optimizer of torch.",
            state.place,
        )
    if gone:
        findings.record_once_a_line(
            "EMU-TORCH-OPT-2",
            findings.MANUAL,
            "the gradients of {} are gone, which {} has combined in one block".format(
                _counted(len(gone)), state.kind
            ),
            "Call zero_grad() of the optimizer, not of the model.",
            state.place,
        )


def _record_device(place):
    """Write the device this rank trains on; ranks are compared after the run."""
    _device_recorded.append(findings.rank())  # read now: at the end the process group is gone
    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return
    if distributed.get_world_size() < 2 or not findings.strict():
        return
    visible = os.environ.get("ASCEND_RT_VISIBLE_DEVICES", "").split(",")
    index = torch.npu.current_device()
    device = visible[index] if index < len(visible) and visible[index].strip() else str(index)
    local = os.environ.get("LOCAL_WORLD_SIZE", "")
    rank = distributed.get_rank()
    server = rank // int(local) if local.isdigit() and int(local) else 0
    findings.write(
        {
            "device": {"server": server, "device": device.strip()},
            "path": place[0],
            "line": place[1],
            "rank": rank,
        }
    )


def record():
    """Record, at exit, parameters on the host and parameters that were never trained."""
    for state in _all:
        if state.on_host and state.on_host == state.parameters:
            _record_host(state)
        elif state.on_host:
            findings.record(
                "EMU-TORCH-CPU-1",
                findings.BLOCKER,
                "{} of the {} parameters of {} are on the host CPU".format(
                    state.on_host, state.parameters, state.kind
                ),
                "Move the whole model to the NPU.",
                state.place,
            )
        _record_dead(state)


def _record_host(state):
    query = cuda_leftovers.first_query()
    because = "; the program looks for a GPU with torch.cuda" if query else ""
    findings.record(
        "EMU-TORCH-CPU-1",
        findings.BLOCKER,
        "{} of {} trained on the host CPU although there is an NPU{}".format(
            "{} step{}".format(state.steps, "s" * (state.steps > 1)), state.kind, because
        ),
        "Test torch.npu.is_available(), and move model and data to 'npu'.",
        query or state.place,
    )


def _record_dead(state):
    if state.empty_steps == min(state.steps, _STEPS_CHECKED):
        findings.record(
            "EMU-TORCH-OPT-1",
            findings.MANUAL,
            "none of the parameters of {} ever gets a gradient".format(state.kind),
            "Make the optimizer from model.parameters(), after the model is on the device.",
            state.place,
        )
    elif state.without:
        findings.record(
            "EMU-TORCH-OPT-1",
            findings.INFO,
            "{} of {} never get a gradient".format(_counted(len(state.without)), state.kind),
            "If that is not intended, check which parameters the loss depends on.",
            state.place,
        )


def _counted(number):
    return "{} parameter{}".format(number, "s" * (number > 1))
