"""Survey a project before any rule runs: its files, which of them matter, what rules ask for."""

from __future__ import annotations

import fnmatch
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.catalog import cuda_packages
from ascendify.errors import UsageError
from ascendify.migrate.settings import Settings
from ascendify.rules import torch_target
from ascendify.rules.site import Facts
from ascendify.source.project import Project, Tree, discover

EXTERNAL = frozenset(
    {"tensorflow", "keras", "horovod", "torch", "torch_npu", "apex", "npu_bridge", "hccl"}
)
"""Packages that a bare folder of the same name in the user's project does not shadow."""
_WORDS = (b"cuda", b"CUDA_", b"nccl", b"nvidia")
_IMPORTED = (b"tensorflow", b"keras", b"horovod", b"tf_slim", b"npu_bridge", b"hccl", b"torch",
             b"lightning", b"accelerate", b"transformers")  # fmt: skip
_CUDA_PACKAGES = re.compile(
    rb"^\s*(?:import|from)\s+(?:%s)\b"
    % b"|".join(
        re.escape(name).encode()
        for package in cuda_packages.all_packages()
        for name in package.imports
    ),
    re.M,
)
"""A Python file that mentions none of the words, imports none of the packages, and no file that
does, concerns no rule."""
_TEXT_NAMES = (
    ("shell", ("*.sh", "*.bash", "*.slurm", "*.sbatch", "*.pbs")),
    ("requirements", ("*requirements*.txt", "requirements/*.txt", "constraints*.txt")),
    ("docker", ("Dockerfile", "Dockerfile.*", "*.dockerfile")),
    ("yaml", ("environment*.yml", "environment*.yaml", "conda*.yml", "conda*.yaml")),
    ("config", ("*.yaml", "*.yml", "*.json", "*.toml", "*.ini", "*.cfg", "*.conf")),
)
_CONFIG_BYTES = 200_000
"""Larger files of these formats are data."""
_CONFIG_TOKENS = (b"cuda", b"nccl", b"gpu", b"nvidia", b"bf16", b"fp16")
"""A config file that mentions none of these, in small letters, concerns no rule."""
_JOINED = (b"\\", b"\\\r")
"""What stands before a newline that ends no statement."""
_SHEBANG = re.compile(rb"\A#!.*\b(python|sh|bash)")
_MAIN_GUARD = re.compile(rb"^if\s+\(?__name__\s*==\s*['\"]__main__['\"]", re.M)
_APP_RUN = re.compile(rb"^(?:\w+\.)*app\.run\(", re.M)
_LAUNCHED = re.compile(rb"\bpython[0-9.]*\s+(?:-[^m\s]\S*\s+)*([\w./-]+\.py)\b")
_LAUNCHED_BY = re.compile(
    rb"\b(?:torchrun|torch_npu_run|accelerate\s+launch|deepspeed"
    rb"|python[0-9.]*\s+-m\s+torch\.distributed\.(?:launch|run))\b"
    rb"(?:[^\n;|&]|\\\n)*?\s([\w./-]+\.py)\b"
)
_LAUNCHED_MODULE = re.compile(rb"\b(?:python[0-9.]*|torchrun\b[^\n;|&]*?)\s+-m\s+([A-Za-z_][\w.]*)")
_RUNS = re.compile(rb"^(?:for|while|with)\b|^torch\.|^\w[\w, ]*=.*\.parse_args\(", re.M)
"""What a PyTorch script without a main guard does at its outermost level, and a module does not."""
_STRATEGY = re.compile(
    rb"\b(?:Mirrored|MultiWorkerMirrored|CollectiveAllReduce|CentralStorage|OneDevice)Strategy\b"
    rb"|\btrain_distribute\s*=(?!\s*None\b)|\bmulti_gpu_model\b"
    rb"|\btower_grad\w*|\baverage_(?:gradients|grads_and_vars)\b"
)
_STRATEGY_WORDS = (
    b"Strategy", b"train_distribute", b"multi_gpu_model", b"tower_grad", b"average_grad",
)  # fmt: skip
_HOROVOD = re.compile(rb"^\s*(?:import|from)\s+horovod\b", re.M)
_TENSORFLOW = re.compile(rb"^\s*(?:import|from)\s+(?:tensorflow|keras|tf_slim|npu_bridge)\b", re.M)
_TORCH = re.compile(
    rb"^\s*(?:import|from)\s+(?:torch\w*|transformers|accelerate|(?:pytorch_)?lightning|deepspeed)\b",
    re.M,
)
_DEFINED = re.compile(rb"^\s+def\s+(cuda|is_cuda|npu|is_npu)\s*\(", re.M)
_HCCL = re.compile(rb"^\s*(?:import|from)\s+(?:npu_bridge\.)?hccl\b", re.M)
"""The NPU's collectives: training was already made to run on several devices."""


@dataclass
class Survey:
    """What stands in the project and what is to be analysed."""

    root: Path
    tree: Tree
    python: list[str] = field(default_factory=list)
    """Every Python file, analysed or not: names are followed through all of them."""
    analysed: list[str] = field(default_factory=list)
    """Python files some rule may care about."""
    notebooks: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """Launch scripts and the like, with their kind."""
    sizes: dict[str, int] = field(default_factory=dict)
    imported_by: dict[str, list[str]] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)

    @property
    def work(self) -> list[str]:
        """Everything to be analysed."""
        return [*self.analysed, *self.notebooks, *self.texts]


def survey(settings: Settings, tree: Tree) -> Survey:
    """Look at every file once, without parsing any."""
    root = settings.root
    result = Survey(root, tree)
    considered = _considered(result.tree, settings)
    relevant: set[str] = set()
    horovod = strategy = hccl = False
    using = {"tensorflow": 0, "torch": 0}
    defined: set[str] = set()
    launched: set[str] = set()
    configs: list[str] = []
    raw: dict[str, bytes] = {}
    for path in considered:
        kind = _kind(path, root)
        if kind == "python":
            content = raw[path] = _read(root / path)
            result.python.append(path)
            result.sizes[path] = len(content)
            if _is_relevant(content):
                relevant.add(path)
                horovod = horovod or _has(_HOROVOD, content, b"horovod")
                strategy = strategy or _has(_STRATEGY, content, *_STRATEGY_WORDS)
                hccl = hccl or _has(_HCCL, content, b"hccl")
                _count_frameworks(using, content)
                defined.update(_defined(content))
        elif kind == "notebook":
            result.notebooks.append(path)
            _count_frameworks(using, _read(root / path).replace(b'"', b"\n"))
        elif kind == "config":
            configs.append(path)
        elif kind:
            result.texts[path] = kind
            launched.update(_launched(path, _read(root / path)))
    if using["torch"]:
        result.texts.update(dict.fromkeys(_worth_reading(root, configs), "config"))
    _link(result, relevant, raw)
    entries = {
        path
        for path in result.analysed
        if path in launched
        or _has(_MAIN_GUARD, raw[path], b"__main__")
        or _has(_APP_RUN, raw[path], b"app.run")
        or (path not in result.imported_by and _is_torch_script(raw[path]))
    }
    result.facts = Facts(
        distributed=_distributed(settings.distributed, horovod, strategy and not hccl),
        entry_points=frozenset({str(settings.main)} if settings.main else entries),
        npu_options=dict(settings.npu),
        vendor_style=settings.vendor_style,
        frameworks=frozenset(name for name, count in using.items() if count)
        or frozenset({"tensorflow"}),
        framework="torch" if using["torch"] > using["tensorflow"] else "tensorflow",
        style=settings.style,
        fix_drift=settings.fix_drift,
        defined=frozenset(defined),
    )
    if using["torch"]:
        target = _target(result, settings, considered)
        result.facts = replace(
            result.facts,
            torch=target.pinned,
            torch_npu=target.release.version,
            torch_npu_asked=bool(settings.torch_npu),
            target=f"{target.release.described}: {target.reason}",
        )
    return result


def _target(result: Survey, settings: Settings, considered: Iterable[str]) -> torch_target.Target:
    """The release of torch_npu that was asked for, or that files of packages ask for."""
    kinds = {path: kind for path, kind in result.texts.items() if kind != "config"}
    kinds.update({path: "project" for path in considered if torch_target.is_project_file(path)})
    texts = (
        (path, kind, _read(result.root / path).decode("utf-8", "replace"))
        for path, kind in sorted(kinds.items())
    )
    return torch_target.choose(texts, settings.torch_npu, settings.torch_npu_said_in)


def _is_relevant(content: bytes) -> bool:
    """Whether a rule may care about a file for its own sake.

    Packages are looked for where the text imports something: looking for each of them in all of
    it takes longer than reading the file.
    """
    for word in _WORDS:
        if word in content:
            return True
    lines = []
    found = content.find(b"import")
    while found >= 0:
        start, end = _line_around(content, found)
        lines.append(content[start:end])
        found = content.find(b"import", end)
    importing = b"\n".join(lines)
    if any(package in importing for package in _IMPORTED):
        return True
    return _CUDA_PACKAGES.search(importing) is not None


def _line_around(content: bytes, place: int) -> tuple[int, int]:
    """Where the line of a place begins and ends, with the lines that a backslash joins to it."""
    start = content.rfind(b"\n", 0, place)
    while start > 0 and content.endswith(_JOINED, 0, start):
        start = content.rfind(b"\n", 0, start)
    end = content.find(b"\n", place)
    while end > 0 and content.endswith(_JOINED, 0, end):
        end = content.find(b"\n", end + 1)
    return start + 1, len(content) if end < 0 else end


def _is_torch_script(content: bytes) -> bool:
    """Whether a file that nobody imports trains as soon as it is read."""
    return _has(_TORCH, content, b"torch") and _RUNS.search(content) is not None


def _count_frameworks(using: dict[str, int], content: bytes) -> None:
    using["tensorflow"] += _has(_TENSORFLOW, content, b"tensorflow", b"keras", b"tf_slim", b"npu_")
    using["torch"] += _has(_TORCH, content, b"torch", b"transformers", b"accelerate", b"lightning")


def _defined(content: bytes) -> Iterable[str]:
    """Names of torch's device methods that classes of a file define themselves."""
    if b"def cuda" in content or b"def npu" in content or b"def is_" in content:
        return [name.decode() for name in _DEFINED.findall(content)]
    return ()


def _worth_reading(root: Path, configs: Iterable[str]) -> list[str]:
    """Config files that a rule may care about; larger ones are data."""
    return [
        path
        for path in configs
        if (root / path).stat().st_size <= _CONFIG_BYTES
        and _mentions(
            _read(root / path),
            (*_CONFIG_TOKENS, b"torch") if torch_target.is_project_file(path) else _CONFIG_TOKENS,
        )
    ]


def _mentions(content: bytes, tokens: Iterable[bytes]) -> bool:
    return any(token in content for token in tokens)


def files(settings: Settings) -> Tree:
    """The files below the folder given; for files given, just those."""
    if len(settings.paths) == 1 and settings.paths[0].is_dir():
        return discover(settings.root)
    files: set[str] = set()
    empty: set[str] = set()
    links: set[str] = set()
    for path in settings.paths:
        prefix = path.relative_to(settings.root).as_posix()
        if path.is_dir():
            tree = discover(path)
            files.update(_below(prefix, tree.files))
            empty.update(_below(prefix, tree.empty_folders))
            links.update(_below(prefix, tree.links))
        else:
            files.add(prefix)
    return Tree(tuple(sorted(files)), tuple(sorted(empty)), frozenset(links))


def _below(prefix: str, paths: Iterable[str]) -> list[str]:
    return list(paths) if prefix == "." else [f"{prefix}/{path}" for path in paths]


def _considered(tree: Tree, settings: Settings) -> list[str]:
    """Files to look at: links, excluded and git-ignored files are copied as they are."""
    passed_over = tree.links | _ignored_by_git(tree.files, settings.root)
    return [
        path
        for path in tree.files
        if path not in passed_over
        and not any(_excluded(path, pattern) for pattern in settings.exclude)
    ]


def _excluded(path: str, pattern: str) -> bool:
    pattern = pattern.rstrip("/")
    parts = path.split("/")
    heads = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    return any(
        fnmatch.fnmatch(head, pattern) or fnmatch.fnmatch(head.rpartition("/")[2], pattern)
        for head in heads
    )


def _ignored_by_git(files: Iterable[str], root: Path) -> frozenset[str]:
    """Files that a .gitignore of the project names, and that git does not have all the same."""
    specs = [
        path
        for path in files
        if path.rpartition("/")[2] == ".gitignore" and (root / path).is_file()
    ]
    if not specs:
        return frozenset()
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - only projects with such a file pay for it

    ignored: set[str] = set()
    for spec_path in specs:
        folder = spec_path.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        text = _read(root / spec_path).decode("utf-8", "replace")
        spec = GitIgnoreSpec.from_lines(text.splitlines())
        ignored.update(
            path
            for path in files
            if path.startswith(prefix) and spec.match_file(path[len(prefix) :])
        )
    return frozenset(ignored - _tracked(root)) if ignored else frozenset()


def _tracked(root: Path) -> set[str]:
    """Files that git has, relative to the project; none where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-z"]
    try:
        listed = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed
    except FileNotFoundError:
        return set()
    return set(listed.stdout.decode("utf-8", "surrogateescape").split("\0"))


def _kind(path: str, root: Path) -> str:
    """python, notebook, a kind of text, or empty for what is only copied."""
    name = path.rpartition("/")[2]
    if name.endswith((".py", ".pyw")):
        return "python"
    if name.endswith(".ipynb"):
        return "notebook"
    for kind, patterns in _TEXT_NAMES:
        if any(fnmatch.fnmatch(name, item) or fnmatch.fnmatch(path, item) for item in patterns):
            return kind
    if "." not in name:
        match = _SHEBANG.match(_read(root / path, 64))
        if match is not None:
            return "python" if match[1] == b"python" else "shell"
    return ""


def _read(path: Path, size: int = -1) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(size)
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}", "make it readable, or exclude it"
        ) from error


def _has(pattern: re.Pattern[bytes], content: bytes, *words: bytes) -> bool:
    """Whether a pattern occurs; looking for a word it needs first is many times faster."""
    return any(word in content for word in words) and pattern.search(content) is not None


def _launched(path: str, content: bytes) -> set[str]:
    """Python files a launch script starts, by their likely paths in the project."""
    folder = path.rpartition("/")[0]
    found = {
        match.decode("ascii", "replace").replace(".", "/") + ".py"
        for match in _LAUNCHED_MODULE.findall(content)
    }
    for match in (*_LAUNCHED.findall(content), *_LAUNCHED_BY.findall(content)):
        name = match.decode("utf-8", "replace")
        found.add(name[2:] if name.startswith("./") else name)
        if folder:
            found.add(f"{folder}/{name}")
    return found


def _link(result: Survey, relevant: set[str], raw: dict[str, bytes]) -> None:
    """Who imports whom; files that import a relevant file are analysed as well."""
    if not relevant:
        return
    project = Project(result.root, result.python, external=EXTERNAL)
    for importer in result.python:
        text = raw[importer].decode("utf-8", errors="replace")
        for path in project.imports(importer, text):
            result.imported_by.setdefault(path, []).append(importer)
    second = {
        importer
        for path in relevant
        for importer in result.imported_by.get(path, ())
        if importer not in relevant
    }
    result.analysed = sorted(relevant | second)


def _distributed(asked: str, horovod: bool, strategy: bool) -> str:
    if asked != "auto":
        return asked
    if horovod:
        return "horovod"
    return "tf_strategy" if strategy else "none"
