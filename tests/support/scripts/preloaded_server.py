"""A user's interpreter that has loaded a framework, and forks of it that run one program each.

Loading TensorFlow or PyTorch takes seconds, longer than most programs of the tests. A fork is a
process like any other, and runs a program as the interpreter would: with streams, a folder,
variables, arguments, ``sys.path`` and a ``sitecustomize`` of its own. It has imported nothing yet:
what the server has loaded is hidden, and comes back when the program imports it, so that code that
waits for an import (see ``ascendify_startup.import_hooks``) runs when it would.

``python preloaded_server.py SOCKET READY MODULES``: the path of the socket, a file that is open
for writing and gets a byte when programs can be started, and names of modules as JSON. Who connects
sends one byte. With ``P`` come open files, the request as JSON and those of the program: the answer
is the process id in one line and the wait status in another. When the connection ends before, the
program is killed. A connection that sends ``L`` keeps the server running.

Runs on Python 3.6 and newer. ``support.preloaded`` starts it, ``preloaded_python.py`` connects.
"""

import array
import fcntl
import gc
import importlib
import importlib.machinery
import io
import json
import os
import random
import runpy
import select
import signal
import socket
import sys
import types
import warnings

MOST_FILES = 250
"""That can be sent at once."""
ABSENT = ("triton",)
"""Packages that are not loaded before a fork: Triton's C++ part counts the objects that are left
when a process ends, and those of a fork are frozen."""
STANDARD_LIBRARY = os.path.dirname(os.__file__)


def main():
    """Load the modules, then answer until nobody can ask any more; in a fork, run the program."""
    path, ready, names = sys.argv[1:]
    if os.fork():
        os._exit(0)  # who started it need not wait for its end, which comes when all have left
    del sys.path[0]  # the folder of this file
    hidden = Hidden(json.loads(names))
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    gc.collect()
    gc.freeze()  # a collection in a fork would copy every page
    os.write(int(ready), b".")
    os.close(int(ready))
    request = _serve(listening, path)
    if request is not None:
        _run(request, hidden)


class Hidden(object):
    """Modules that were loaded and are not in ``sys.modules``, until a program imports them.

    What a program gets back with the import of one of the named modules is what that import loaded.
    Each of them imports those before it.
    """

    def __init__(self, names):
        self._modules = {}
        self._loaded_with = {}
        sys.modules.update((name, None) for name in ABSENT)
        for name in names:
            known = set(sys.modules)
            try:
                importlib.import_module(name)
            except ImportError:
                continue  # this environment has none
            new = [one for one in sys.modules if one not in known]
            before = list(self._loaded_with)
            new = [one for one in new if one != name and _is_foreign(one)]
            self._modules[name] = sys.modules[name]
            self._modules.update((one, sys.modules[one]) for one in new)
            self._loaded_with[name] = before + new
        for name in ABSENT:
            del sys.modules[name]
        _forget_answers(sys.modules.get("torch.utils._triton"))

    def hide(self):
        """Take the modules out of ``sys.modules``, and put them back when they are imported."""
        for name in self._modules:
            del sys.modules[name]
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        """Return a spec with which an import puts the module back."""
        if name not in self._modules:
            return None
        known = self._modules[name].__spec__
        return importlib.machinery.ModuleSpec(
            name, self._Loader(self), origin=getattr(known, "origin", None)
        )

    class _Loader(object):
        def __init__(self, hidden):
            self._hidden = hidden

        def create_module(self, spec):
            """Return None: the import begins with an empty module, which is then replaced."""

        def exec_module(self, module):
            """Put the module back, and what was loaded with it."""
            self._hidden.restore(module.__name__)

    def restore(self, name):
        """Put a module back, and all that its import loaded; show finders those they wait for."""
        sys.modules[name] = self._modules.pop(name)
        with_it = self._loaded_with.get(name) or [
            one for one in self._modules if one.startswith(name + ".")
        ]
        for one in with_it:
            if one in self._loaded_with:
                importlib.import_module(one)
        with_it = [one for one in with_it if one in self._modules]
        sys.modules.update((one, self._modules[one]) for one in with_it)
        for one in with_it:
            if one in self._modules:
                module = sys.modules.pop(one)
                spec = self._find_before(one)
                if spec is None:
                    sys.modules[one] = module
                    del self._modules[one]
                else:
                    importlib._bootstrap._load(spec)
        if name == "torch":
            _load_backends(sys.modules[name])

    def _find_before(self, name):
        """Return the spec of a finder that the program has added, which wants to see the import."""
        for finder in sys.meta_path[: sys.meta_path.index(self)]:
            spec = finder.find_spec(name)
            if spec is not None:
                return spec
        return None


def _forget_answers(module):
    """Forget what functions of a module have found out and keep."""
    for function in vars(module).values() if module else ():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def _is_foreign(name):
    """Whether a module belongs to a package that is no part of Python."""
    package = vars(sys.modules.get(name.partition(".")[0], _is_foreign))  # asks no lazy module
    file = package.get("__file__") or ""
    if not file:
        return "__path__" in package
    return "site-packages" in file or not file.startswith(STANDARD_LIBRARY)


def _load_backends(torch):
    """Load the installed backends, which is the last thing that ``import torch`` does."""
    enabled = getattr(torch, "_is_device_backend_autoload_enabled", None)
    if enabled is not None and enabled():
        torch._import_device_backends()


def _serve(listening, path):
    """Fork until no connection is left that keeps the server; in a fork, return its request."""
    wakened, waker = os.pipe()
    os.set_blocking(wakened, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    keeping, running = set(), {}
    while True:
        ready = select.select([listening, wakened] + list(keeping) + list(running), [], [])[0]
        if wakened in ready:
            os.read(wakened, 4096)
            _report_exits(running)
        for connection in ready:
            if connection in keeping and not _is_open(connection):
                keeping.discard(connection)
                connection.close()
            elif connection in running and not _is_open(connection):
                _kill(running.pop(connection))
                connection.close()
        if listening in ready:
            connection, _ = listening.accept()
            kind, files = _receive(connection)
            if kind == b"L":
                keeping.add(connection)
            elif files:
                process = os.fork()
                if process == 0:
                    for own in [listening, connection] + list(keeping) + list(running):
                        own.detach()  # the program may have files with these numbers
                    return _become(files)
                running[connection] = process
                connection.sendall(b"%d\n" % process)
            for file in files:
                os.close(file)
        if not keeping and _leave(path, listening):
            return None


def _receive(connection):
    """Return the first byte of a connection and the open files that came with it."""
    numbers = array.array("i")
    kind, messages, _, _ = connection.recvmsg(1, socket.CMSG_LEN(MOST_FILES * numbers.itemsize))
    for level, type_, data in messages:
        if (level, type_) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
    return kind, list(numbers)


def _is_open(connection):
    try:
        return bool(connection.recv(1))
    except OSError:
        return False


def _report_exits(running):
    while running:
        process, status = os.waitpid(-1, os.WNOHANG)
        if not process:
            return
        for connection, started in list(running.items()):
            if started == process:
                del running[connection]
                try:
                    connection.sendall(b"%d\n" % status)
                except OSError:
                    pass  # nobody waits for it
                connection.close()


def _kill(process):
    try:
        os.killpg(process, signal.SIGKILL)
    except OSError:
        pass  # it has exited


def _leave(path, listening):
    """Remove the socket, unless somebody is about to connect."""
    with open(path + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if select.select([listening], [], [], 0)[0]:
            return False
        os.unlink(path)
        return True


def _become(files):
    """Take over the open files and the usual signals; return the request."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    with os.fdopen(files[0], "rb", closefd=False) as file:
        request = json.loads(file.read().decode("utf-8", "surrogateescape"))
    wanted = request["files"]
    beyond = max(files + wanted) + 1
    copies = [fcntl.fcntl(file, fcntl.F_DUPFD, beyond) for file in files[1:]]
    for number, copy in zip(wanted, copies):
        os.dup2(copy, number)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number not in wanted:
            try:
                os.close(number)
            except OSError:
                pass  # the list itself
    return request


def _run(request, hidden):
    """Run a program in this process, as the interpreter would."""
    environment = request["environment"]
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(environment)
    sys.executable = request["interpreter"]
    if "multiprocessing.spawn" in sys.modules:
        sys.modules["multiprocessing.spawn"].set_executable(sys.executable)
        sys.modules["multiprocessing.process"].ORIGINAL_DIR = os.getcwd()
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    _open_streams(request["unbuffered"] or bool(environment.get("PYTHONUNBUFFERED")))
    for action in filter(None, environment.get("PYTHONWARNINGS", "").split(",")):
        warnings.simplefilter(action)
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    hidden.hide()
    searched = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [os.path.abspath(entry) for entry in searched if entry]
    sys.path_importer_cache.clear()
    try:
        # the system's own, of Debian and Ubuntu, was imported when the server started
        sys.modules.pop("sitecustomize", None)
        import sitecustomize
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    kind, *arguments = request["arguments"]
    if kind == "-m":
        sys.argv = arguments
        sys.path.insert(0, os.getcwd())
        _strip(lambda: runpy._run_module_as_main(arguments[0]))
    elif kind == "-c":
        sys.argv = ["-c"] + arguments[1:]
        sys.path.insert(0, "")
        _execute(arguments[0], None)
    else:
        sys.argv = [kind] + arguments
        sys.path.insert(0, os.path.dirname(os.path.realpath(kind)))
        if sys.version_info >= (3, 9):
            kind = os.path.abspath(kind)
        with open(kind, "rb") as file:
            _execute(file.read(), kind)


def _open_streams(unbuffered):
    """Make new objects for the streams, which are buffered as the interpreter does it."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        old = getattr(sys, name)
        raw = open(number, mode + "b", 0 if unbuffered and mode == "w" else -1, closefd=False)
        stream = io.TextIOWrapper(
            raw,
            encoding=old.encoding,
            errors=old.errors,
            line_buffering=name == "stderr" or os.isatty(number),
            write_through=unbuffered and mode == "w",
        )
        stream.mode = mode
        setattr(sys, name, stream)
        setattr(sys, "__%s__" % name, stream)


def _execute(text, file):
    """Run a program as the main module."""
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __annotations__={})
    if file is not None:
        main.__dict__.update(
            __file__=file,
            __loader__=importlib.machinery.SourceFileLoader("__main__", file),
            __cached__=None,
        )
    sys.modules["__main__"] = main
    _strip(lambda: exec(compile(text, file or "<string>", "exec"), main.__dict__))


def _strip(run):
    """Run a program; an error that ends it is printed without the lines of this file."""
    try:
        run()
        return
    except SystemExit:
        raise
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        sys.excepthook(type(error), error.with_traceback(trace), trace)
    sys.exit(1)


if __name__ == "__main__":
    main()
