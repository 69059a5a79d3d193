"""Graphs that leave the device once they have run."""


class ScopedGraphManager(object):
    """Release the initialisation graphs run inside the ``with``; a CPU keeps nothing to release."""

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, traceback):
        self.stop()

    def start(self):
        """Begin to watch graphs."""

    def stop(self):
        """Release the graphs watched."""
