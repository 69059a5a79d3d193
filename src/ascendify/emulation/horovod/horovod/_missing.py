"""What Horovod has and this stand-in has not."""


def refuse(what, why):
    """Say what is missing, why, and what to do."""
    raise NotImplementedError(
        "ascendify's stand-in for Horovod has no {}: {}. Install Horovod itself to run this "
        "program.".format(what, why)
    )


def missing(name, why):
    """A function that takes anything and refuses."""

    def call(*args, **kwargs):
        """Refuse."""
        refuse("hvd.{}".format(name), why)

    call.__name__ = name
    return call
