"""profile, schedule and the handler that writes traces."""

import json
import os
import socket
import time

from torch.profiler import ProfilerAction
from torch.profiler import ProfilerActivity as _StockActivity
from torch.profiler import _KinetoProfile as _StockKinetoProfile
from torch.profiler import profile as _stock_profile
from torch.profiler import schedule as _stock_schedule

from .configuration import _ExperimentalConfig


def schedule(wait, active, warmup=0, repeat=0, skip_first=0, skip_first_wait=0):
    """Return torch's schedule, with the argument order and defaults of torch_npu."""
    action = _stock_schedule(
        wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip_first
    )
    if not skip_first_wait:
        return action
    # torch itself has it from 2.6 on: the first cycle begins after its wait
    return lambda step: action(step if step < skip_first else step + wait)


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """Write each trace into a separate folder, named like those of the NPU's profiler."""
    folder = dir_name or os.environ.get("ASCEND_WORK_PATH", os.getcwd())
    os.makedirs(folder, exist_ok=True)

    def handle(profiler):
        worker = worker_name or "%s_%d" % (socket.gethostname(), os.getpid())
        stamp = time.strftime("%Y%m%d%H%M%S") + "%03d" % (time.time_ns() // 1_000_000 % 1000)
        output = os.path.join(folder, "%s_%s_ascend_pt" % (worker, stamp), "ASCEND_PROFILER_OUTPUT")
        os.makedirs(output, exist_ok=True)
        if analyse_flag:
            profiler.export_chrome_trace(os.path.join(output, "trace_view.json"))
        with open(os.path.join(output, "..", "profiler_metadata.json"), "w") as metadata:
            json.dump(profiler._metadata, metadata)

    return handle


class _KinetoProfile:
    """Profiler that records between start() and stop(), without a schedule."""

    def __init__(
        self,
        *,
        activities=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        custom_trace_id_callback=None,
    ):
        _check_settings(experimental_config)
        self._metadata = {}
        self._inner = self._make(
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
        )

    def _make(self, **named):
        # only the CPU can be recorded, whichever activities were requested
        return _StockKinetoProfile(activities=[_StockActivity.CPU], **named)

    def start(self):
        """Begin to record."""
        self._inner.start()

    def stop(self):
        """Stop recording."""
        self._inner.stop()

    def export_chrome_trace(self, output_path):
        """Write the trace."""
        self._inner.export_chrome_trace(output_path)

    def export_stacks(self, output_path, metric="self_cpu_time_total"):
        """Write stacks; times of the NPU are those of the CPU."""
        self._inner.export_stacks(output_path, metric.replace("npu", "cpu"))

    def export_memory_timeline(self, output_path, device="npu:0"):
        """Write memory over time, of the host."""
        self._inner.export_memory_timeline(output_path, "cpu")

    def key_averages(self, *arguments, **named):
        """Averages by operator."""
        return self._inner.key_averages(*arguments, **named)

    def events(self):
        """What was recorded."""
        return self._inner.events()

    def add_metadata(self, key, value):
        """Add a text to the trace."""
        self._metadata[str(key)] = value

    def add_metadata_json(self, key, value):
        """Add JSON to the trace."""
        self._metadata[str(key)] = json.loads(value)


class profile(_KinetoProfile):
    """Profiler that records by a schedule, as a context or between start() and stop()."""

    def __init__(
        self,
        *,
        activities=None,
        schedule=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        use_cuda=None,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        self._schedule, self._handler = schedule, on_trace_ready
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
        )

    def _make(self, **named):
        handler = None if self._handler is None else lambda inner: self._handler(self)
        return _stock_profile(
            activities=[_StockActivity.CPU],
            schedule=self._schedule,
            on_trace_ready=handler,
            **named,
        )

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def step(self):
        """Go to the next step of the schedule."""
        self._inner.step()

    @property
    def step_num(self):
        """Number of steps so far."""
        return self._inner.step_num

    @property
    def current_action(self):
        """Action of the schedule for this step."""
        return self._inner.current_action

    @staticmethod
    def enable_profiler_in_child_thread(**named):
        """Do nothing: child threads are always recorded."""

    @staticmethod
    def disable_profiler_in_child_thread():
        """Do nothing: child threads are always recorded."""


def _check_settings(settings):
    if settings is not None and not isinstance(settings, _ExperimentalConfig):
        raise TypeError(
            "experimental_config must be a torch_npu.profiler._ExperimentalConfig, not %s"
            % type(settings).__name__
        )
