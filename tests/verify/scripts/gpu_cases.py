"""Cases about the pretended GPU: run all of a script, and report each as the last line."""

import json
import traceback

CASES = {}


class MissingError(Exception):
    """The release of PyTorch does not have what a case is about."""


def case(function):
    """Make a function a case."""
    CASES[function.__name__] = function
    return function


def needs(holder, *names):
    """Leave the case out where one of the names is missing; return what the last one names."""
    for name in names:
        if not hasattr(holder, name):
            raise MissingError(f"this release has no {holder.__name__}.{name}")
        holder = getattr(holder, name)
    return holder


def raises(kind, text, function, *arguments, **named):
    """Something raises an error of a kind; return its message, which has a text."""
    try:
        function(*arguments, **named)
    except kind as error:
        assert text in str(error), str(error)
        return str(error)
    line = getattr(getattr(function, "__code__", None), "co_firstlineno", "?")
    raise AssertionError(f"nothing was raised by line {line}")


def refused(function, *arguments, **named):
    """The pretended GPU refuses something, with a short message of its own."""
    message = raises(RuntimeError, "pretended", function, *arguments, **named)
    assert message.startswith("ascendify: "), message
    assert message.count("\n") <= 2, message


def main():
    """Run the cases and print {case: [what is missing or None, what went wrong or None]}."""
    found = {}
    for name, function in CASES.items():
        try:
            function()
            found[name] = [None, None]
        except MissingError as reason:
            found[name] = [str(reason), None]
        except Exception:
            found[name] = [None, traceback.format_exc()]
    print(json.dumps(found))
