"""Errors for functions of Horovod that this stand-in does not have."""


def refuse(what, why):
    """Raise an error with what is missing, why, and what to do."""
    raise NotImplementedError(
        "ascendify's stand-in for Horovod has no {}: {}. Install Horovod itself to run this "
        "program.".format(what, why)
    )


def missing(name, why):
    """Return a function that raises this error for any arguments."""

    def call(*args, **kwargs):
        """Refuse."""
        refuse("hvd.{}".format(name), why)

    call.__name__ = name
    return call
