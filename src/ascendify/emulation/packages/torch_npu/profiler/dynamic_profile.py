"""torch_npu.profiler.dynamic_profile: start profiling in a running job."""

import json
import os

_state = {"path": None, "step": 0, "running": None, "left": 0}


def init(path):
    """Watch profiler_config.json in a folder for requests to start profiling."""
    os.makedirs(path, exist_ok=True)
    _state.update(path=path, step=0, running=None, left=0)


def step():
    """Handle the end of a step: start requested profiling, stop it after its steps."""
    if _state["path"] is None:
        raise RuntimeError("dynamic_profile.step() before dynamic_profile.init(path)")
    _state["step"] += 1
    if _state["running"] is not None:
        _state["left"] -= 1
        if _state["left"] <= 0:
            _stop()
        return
    wanted = _wanted(os.path.join(_state["path"], "profiler_config.json"))
    if wanted and wanted.get("start_step") == _state["step"]:
        _begin(wanted)


def start(config_path=None):
    """Start now, with the settings of a file."""
    _begin(_wanted(config_path) or {} if config_path else {})


def set_state(state):
    """Raise an error: this needs the NPU's own service."""
    raise NotImplementedError("dynamic_profile.set_state needs the profiling service of an NPU")


def _wanted(path):
    if not os.path.isfile(path):
        return None
    with open(path) as opened:
        return json.load(opened)


def _begin(wanted):
    from .profile import profile, tensorboard_trace_handler

    folder = wanted.get("prof_dir") or _state["path"] or os.getcwd()
    _state["running"] = profile(
        on_trace_ready=tensorboard_trace_handler(folder),
        record_shapes=bool(wanted.get("record_shapes")),
        with_stack=bool(wanted.get("with_stack")),
        profile_memory=bool(wanted.get("profile_memory")),
    )
    _state["left"] = int(wanted.get("active", 1))
    _state["running"].start()


def _stop():
    _state["running"].stop()
    _state["running"] = None
