"""A program that runs others like an interpreter, in a fork of one that has loaded a framework.

``support.preloaded`` writes it to a file ``python`` with the constants below set. Arguments and
variables that a fork cannot obey any more make it become the interpreter instead.
"""

import os
import sys

INTERPRETER = ""
SOCKET = ""
VARIABLES = {}
"""Those that the server was started with."""
FIXED = ("PYTHON", "LD_", "LC_", "LANG", "OMP_", "MKL_", "KMP_", "OPENBLAS_", "TF_ENABLE")
"""Variables that begin so are read when the interpreter starts or the framework is loaded."""
FOLLOWED = (
    "PYTHON",  # no variable of the interpreter; launch scripts read it
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "PYTHONWARNINGS",
)
"""Those among them that a fork can still obey, or need not."""
MORE = ("PYTHONHASHSEED", "MKL_", "OPENBLAS_")
"""Variables that begin so make results repeatable; who does not set them may have it as well."""


def main():
    """Run the program that the arguments name, and exit as it does."""
    inherited = _open_files()
    given = sys.argv[1:]
    unbuffered = given[:1] == ["-u"]
    program = given[1:] if unbuffered else given
    if not program or not _can_fork(program):
        os.execv(INTERPRETER, [INTERPRETER] + given)
    import json
    import signal
    import socket
    import struct

    request = {
        "arguments": program,
        "environment": dict(os.environ),
        "files": inherited,
        "folder": os.getcwd(),
        "interpreter": sys.argv[0],
        "unbuffered": unbuffered,
    }
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(SOCKET)
    reading, writing = os.pipe()
    files = [reading] + inherited
    packed = struct.pack("%di" % len(files), *files)
    connection.sendmsg([b"P"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, packed)])
    os.close(reading)
    with os.fdopen(writing, "wb") as file:
        file.write(json.dumps(request).encode("utf-8", "surrogateescape"))
    answer = connection.makefile("rb")
    process = int(answer.readline())

    def forward(number, _):
        try:
            os.kill(process, number)
        except OSError:
            pass  # it has just exited

    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"):
        if signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN:
            signal.signal(getattr(signal, name), forward)
    status = int(answer.readline())
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def _open_files():
    """Return the numbers of files that were opened by the program that started this one."""
    listed = [int(name) for name in os.listdir("/proc/self/fd")]
    found = []
    for number in listed:
        try:
            if os.get_inheritable(number):
                found.append(number)
        except OSError:
            pass  # the folder
    return found


def _can_fork(program):
    name = program[0]
    if not (os.path.isfile(name) or (name in ("-m", "-c") and len(program) > 1)):
        return False
    own = os.environ
    return all(
        _value(name, own) == _value(name, VARIABLES)
        for name in set(own) | set(VARIABLES)
        if name.startswith(FIXED) and name not in FOLLOWED
        if name in own or not name.startswith(MORE)
    )


def _value(name, variables):
    """Return the value of a variable, None for one that Python set itself.

    Where no locale is set, Python sets this one, and the programs it starts inherit it.
    """
    value = variables.get(name)
    return None if (name, value) == ("LC_CTYPE", "C.UTF-8") else value


if __name__ == "__main__":
    main()
