"""torch_npu.utils.profiler.Profile, the profiler of old ports: a trace over some steps."""

from ..profiler.profile import profile, schedule, tensorboard_trace_handler


class Profile:
    """start() and end() around a step; steps start_step to start_step + total_step are recorded."""

    def __init__(
        self, *arguments, start_step=0, total_step=1, profile_type=None, path=None, **named
    ):
        self._profile = profile(
            schedule=schedule(wait=start_step, active=max(total_step, 1), repeat=1),
            on_trace_ready=tensorboard_trace_handler(path),
        )
        self._has_started = False

    def start(self):
        """A step begins."""
        if not self._has_started:
            self._has_started = True
            self._profile.start()

    def end(self):
        """A step is over."""
        self._profile.step()
