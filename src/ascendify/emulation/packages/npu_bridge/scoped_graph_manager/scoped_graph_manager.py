"""Release of graphs from the device after they have run."""


class ScopedGraphManager(object):
    """Releases the initialisation graphs that run inside ``with``; does nothing on a CPU."""

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, value, traceback):
        self.stop()

    def start(self):
        """Start to watch graphs."""

    def stop(self):
        """Release the watched graphs."""
