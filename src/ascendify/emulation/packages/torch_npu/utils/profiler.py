"""torch_npu.utils.profiler.Profile, an older profiler that traces some steps."""

from ..profiler.profile import profile, schedule, tensorboard_trace_handler


class Profile:
    """Profiler with start() and end() around a step; records total_step steps from start_step."""

    def __init__(
        self, *arguments, start_step=0, total_step=1, profile_type=None, path=None, **named
    ):
        self._profile = profile(
            schedule=schedule(wait=start_step, active=max(total_step, 1), repeat=1),
            on_trace_ready=tensorboard_trace_handler(path),
        )
        self._has_started = False

    def start(self):
        """Handle the start of a step."""
        if not self._has_started:
            self._has_started = True
            self._profile.start()

    def end(self):
        """Handle the end of a step."""
        self._profile.step()
