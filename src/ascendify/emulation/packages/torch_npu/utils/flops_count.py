"""Count floating point operations with torch's own counter."""


class FlopsCounter:
    """Counter used as start(), run something, get_flops(), stop(); one per process."""

    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
            cls._only._reset()
        return cls._only

    def _reset(self):
        self._mode, self._counted, self._paused = None, 0, False

    def start(self):
        """Begin to count."""
        if self._mode is None:
            # imports Triton, which is half of what the import of torch_npu took
            from torch.utils.flop_counter import FlopCounterMode

            self._mode = FlopCounterMode(display=False)
            self._mode.__enter__()

    def stop(self):
        """Stop counting and reset the counter."""
        self._leave()
        self._reset()

    def pause(self):
        """Pause counting."""
        self._leave()

    def resume(self):
        """Resume counting."""
        self.start()

    def _leave(self):
        if self._mode is not None:
            self._counted += self._mode.get_total_flops()
            self._mode.__exit__(None, None, None)
            self._mode = None

    def get_flops(self):
        """Return the count with and without recomputed operators, which are equal here."""
        running = 0 if self._mode is None else self._mode.get_total_flops()
        return [self._counted + running, self._counted + running]
