"""What optimizers step: where their parameters are, and whether gradients reach them."""

import os
import weakref

import torch
from ascendify_runtime import findings, hardware
from torch.optim.optimizer import register_optimizer_step_pre_hook

from torch_npu._watch import leftovers, operators, places

_LOOKED_AT = 100
"""Steps of an optimizer that are looked at; what is wrong for so long stays wrong."""
_states = weakref.WeakKeyDictionary()
"""Optimizer -> what was seen of it."""
_all = []
"""The same, kept when the optimizer has gone."""
_device_told = []
_saturates = not hardware.model().inf_nan


class _State:
    """One optimizer."""

    def __init__(self, optimizer, place):
        self.kind = type(optimizer).__name__
        self.place = place
        self.steps = 0
        self.parameters = 0
        self.on_host = 0
        """Parameters on the host, of the last step looked at."""
        self.without = None
        """Numbers of parameters that never had a gradient."""
        self.empty_steps = 0
        """Steps in which no parameter had one."""
        self.first_with = None
        """Numbers of parameters that had one in the first step."""


def begin():
    """Look at every step of every optimizer."""
    register_optimizer_step_pre_hook(_before_step)


def steps():
    """How often the busiest optimizer has stepped in this process; others step beside it."""
    return max((state.steps for state in _all), default=0)


def _before_step(optimizer, _args, _kwargs):
    state = _states.get(optimizer)
    if state is None:
        state = _states[optimizer] = _State(optimizer, places.current())
        _all.append(state)
    state.steps += 1
    if state.steps > _LOOKED_AT:
        return
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    _look(state, parameters)
    if _saturates:
        _look_for_overflow(state, parameters)
    if getattr(optimizer, "is_fused_optimizer", False):
        _look_at_fused(state, parameters)
    if not _device_told:
        _tell_device(state.place)


def _look(state, parameters):
    state.parameters = len(parameters)
    state.on_host = sum(one.device.type == "cpu" for one in parameters)
    trained = {number for number, one in enumerate(parameters) if one.requires_grad}
    without = {number for number in trained if parameters[number].grad is None}
    state.without = without if state.without is None else state.without & without
    state.empty_steps += len(without) == len(parameters) or without == trained


def _look_for_overflow(state, parameters):
    """Tell gradients that hold what the 910A does not have."""
    with operators.looking_away():
        overflown = any(
            one.grad is not None and not one.grad.isfinite().all() for one in parameters
        )
    if overflown:
        findings.record_once_a_line(
            "EMU-TORCH-SOC-2",
            findings.MANUAL,
            "a gradient holds infinity or NaN: a 910A has the largest number there, and steps",
            "Scale the loss with torch.npu.amp.GradScaler, which reads the overflow flag.",
            state.place,
        )


def _look_at_fused(state, parameters):
    """A fused optimizer lays out its memory in the first step, for what has gradients then."""
    having = {number for number, one in enumerate(parameters) if one.grad is not None}
    if state.first_with is None:
        state.first_with = having
        return
    late, gone = having - state.first_with, state.first_with - having
    if late:
        findings.record_once_a_line(
            "EMU-TORCH-OPT-2",
            findings.MANUAL,
            "{} takes up parameters in its first step, and {} got a gradient only later".format(
                state.kind, _counted(len(late))
            ),
            "Let every parameter have a gradient in the first step, or use the optimizer of torch.",
            state.place,
        )
    if gone:
        findings.record_once_a_line(
            "EMU-TORCH-OPT-2",
            findings.MANUAL,
            "the gradients of {} are gone, which {} has laid out as one block".format(
                _counted(len(gone)), state.kind
            ),
            "Call zero_grad() of the optimizer, not of the model.",
            state.place,
        )


def _tell_device(place):
    """Write down which device this rank trains on; ranks are compared after the run."""
    _device_told.append(findings.rank())  # asked now: at the end the process group is gone
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


def tell():
    """At the end: what trained on the host, and what was never trained."""
    for state in _all:
        if state.on_host and state.on_host == state.parameters:
            _tell_host(state)
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
        _tell_dead(state)


def _tell_host(state):
    asked = leftovers.first_question()
    because = ", because torch.cuda was asked for a GPU" if asked else ""
    findings.record(
        "EMU-TORCH-CPU-1",
        findings.BLOCKER,
        "{} of {} trained on the host CPU, and an NPU is there{}".format(
            "{} step{}".format(state.steps, "s" * (state.steps > 1)), state.kind, because
        ),
        "Ask torch.npu.is_available(), and move model and data to 'npu'.",
        asked or state.place,
    )


def _tell_dead(state):
    if state.empty_steps == min(state.steps, _LOOKED_AT):
        findings.record(
            "EMU-TORCH-OPT-1",
            findings.MANUAL,
            "{} steps parameters none of which ever gets a gradient".format(state.kind),
            "Make the optimizer after the model is on the device, of model.parameters().",
            state.place,
        )
    elif state.without:
        findings.record(
            "EMU-TORCH-OPT-1",
            findings.INFO,
            "{} of {} never get a gradient".format(_counted(len(state.without)), state.kind),
            "Where that is not on purpose, look at what the loss depends on.",
            state.place,
        )


def _counted(number):
    return "{} parameter{}".format(number, "s" * (number > 1))
