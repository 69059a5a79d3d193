"""Profiling of a part of a program; on a CPU only its use is checked."""


class Profiler(object):
    """Profile what runs inside the ``with``; nothing is measured without a device."""

    _running = None

    def __init__(self, *, level: str = "L0", aic_metrics: str = "", output_path: str = ""):
        for name, value in (
            ("level", level),
            ("aic_metrics", aic_metrics),
            ("output_path", output_path),
        ):
            if not isinstance(value, str):
                raise ValueError("%s must be str, got %s" % (name, type(value)))
        self._level = level
        self._aic_metrics = aic_metrics
        self._output_path = output_path

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, traceback):
        self.stop()

    def start(self):
        if Profiler._running is not None:
            raise RuntimeError("a profiler is already running in this process; they do not nest")
        Profiler._running = self

    def stop(self):
        if Profiler._running is not self:
            raise RuntimeError("this profiler is not running")
        Profiler._running = None
