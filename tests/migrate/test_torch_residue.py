"""After a migration every line that still names CUDA or NCCL has a finding.

The check is made without the rules: it reads the tokens of the migrated files. What it passes
over is said here, one rule at a time.
"""

from __future__ import annotations

import ast
import difflib
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from ascendify.migrate import migrate
from ascendify.migrate.settings import load
from ascendify.reports.model import Report

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
_WORD = re.compile(r"cuda|nccl", re.I)
_MESSAGE = re.compile(r"\s|/|\.\w+$")
"""A text with a blank is for people, one with a slash or an ending is a path."""


@dataclass(frozen=True)
class Residue:
    """A token that still names a GPU."""

    line: int
    text: str


def residue(source: str, own: frozenset[str]) -> Iterator[Residue]:
    """Yield names and texts of a file that name CUDA or NCCL, except those that may stay."""
    documentation = _documentation(source)
    keys = _keys(source)
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    for number, token in enumerate(tokens):
        if not _WORD.search(token.string) or token.type == tokenize.COMMENT:
            continue
        if token.type == tokenize.NAME:
            # a flag named cuda excuses no call x.cuda() and no torch.cuda.x
            used = token.string == "cuda" and tokens[number + 1].string in ("(", ".")
            if token.string not in own or (used and tokens[number - 1].string != "def"):
                yield Residue(token.start[0], token.string)
        elif token.start not in documentation and token.start not in keys:
            for text in _texts(token):
                if _WORD.search(text) and not _is_kept(text):
                    yield Residue(token.start[0], text)


def _texts(token: tokenize.TokenInfo) -> list[str]:
    """What a token says: a string without its quotes, a piece of an f-string as it is."""
    if token.type != tokenize.STRING:
        return [token.string]
    try:
        value = ast.literal_eval(token.string)
    except (SyntaxError, ValueError):  # an f-string, which only later versions take apart
        value = re.sub(r"\{[^}]*\}", "0", token.string.lstrip("fFrRbBuU").strip("'\""))
    return [value] if isinstance(value, str) else []


def _is_kept(text: str) -> bool:
    """Whether a text is a message, a path, or an option, which keeps its name."""
    return bool(_MESSAGE.search(text)) or text.startswith("-")


def _documentation(source: str) -> set[tuple[int, int]]:
    """Where texts that are statements by themselves begin."""
    return {
        (node.lineno, node.col_offset)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _keys(source: str) -> set[tuple[int, int]]:
    """Where keys of dictionaries begin: they are the program's own, unless they name variables."""
    found: list[ast.expr | None] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            found.extend(node.keys)
        elif isinstance(node, ast.Subscript):
            found.append(node.slice)
    return {
        (node.lineno, node.col_offset)
        for node in found
        if isinstance(node, ast.Constant) and not str(node.value).isupper()
    }


def own_names(sources: list[str]) -> frozenset[str]:
    """Names the project itself gives: variables, parameters, functions, attributes, options."""
    found: set[str] = set()
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.Constant) and str(node.value).startswith("--"):
                found.add(str(node.value)[2:].replace("-", "_"))
    return frozenset(found)


def original_lines(before: str, after: str) -> dict[int, range]:
    """For every line of the migrated file the lines of the original it comes from."""
    found: dict[int, range] = {}
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for tag, start, end, new_start, new_end in matcher.get_opcodes():
        for number in range(new_start, new_end):
            same = start + number - new_start
            lines = range(same, same + 1) if tag == "equal" else range(start, max(end, start + 1))
            found[number + 1] = range(lines.start + 1, lines.stop + 1)
    return found


def unreported(project: Path, output: Path, report: Report) -> list[str]:
    """Return every token of the migrated project that names a GPU on a line without a finding."""
    files = sorted(output.rglob("*.py"))
    own = own_names([path.read_text(encoding="utf-8") for path in files])
    found: list[str] = []
    for path in files:
        name = path.relative_to(output).as_posix()
        before = (project / name).read_text(encoding="utf-8")
        after = path.read_text(encoding="utf-8")
        reported = {
            line
            for item in report.findings
            if item.path == name
            for line in range(item.span.line, item.span.end_line + 1)
        }
        lines = original_lines(before, after)
        found.extend(
            f"{name}:{item.line} {item.text}"
            for item in residue(after, own)
            if reported.isdisjoint(lines[item.line])
        )
    return found


def migrated(project: Path, output: Path) -> Report:
    return migrate(load(project, output=output, jobs=1))


@pytest.mark.parametrize(
    "example",
    sorted(path for path in EXAMPLES.glob("torch-*") if any(path.glob("*.py"))),
    ids=lambda path: path.name,
)
def test_examples(example: Path, tmp_path: Path) -> None:
    report = migrated(example, tmp_path / "out")
    assert unreported(example, tmp_path / "out", report) == []


PROJECTS = {
    "devices": {
        "train.py": """
            import argparse
            import torch

            from settings import WHERE, Config

            parser = argparse.ArgumentParser()
            parser.add_argument("--no-cuda", action="store_true", help="not on cuda")
            parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
            args = parser.parse_args()
            use_cuda = not args.no_cuda and torch.cuda.is_available()
            device = torch.device("cuda:0" if use_cuda else "cpu")
            x = torch.zeros(3, device=WHERE).cuda(non_blocking=True)
            if x.is_cuda or x.device.type == "cuda" or args.device == "cuda":
                x = x.type(torch.cuda.FloatTensor)
            state = torch.load("a.pt", map_location={"cuda:0": "cuda:1"})
            backend = load_backend("cuda")
            kind = "cuda"
            print(kind, "running on cuda", getattr(x, "cuda"), Config().place)
            """,
        "settings.py": """
            import torch

            WHERE = "cuda"


            class Config:
                place = "cuda:%d" % 0
            """,
    },
    "namespace": {
        "main.py": """
            import os
            import torch
            import torch.cuda as tc
            from torch import cuda
            from torch.utils.cpp_extension import CUDAExtension

            os.environ["CUDA_VISIBLE_DEVICES"] = "0"
            os.environ["NCCL_DEBUG"] = "INFO"
            print(torch.version.cuda, torch.backends.cudnn.version())
            if torch.cuda.is_available() and cuda.device_count() > 1:
                stream = tc.Stream()
                graph = torch.cuda.CUDAGraph()
                torch.cuda.nvtx.range_push("step")
                print(torch.cuda.get_device_capability(), torch.cuda.nccl.version())
            torch.backends.cuda.matmul.allow_tf32 = True
            module = CUDAExtension("ops", ["ops.cu"])
            activities = [torch.profiler.ProfilerActivity.CUDA]
            """,
    },
    "precision and ranks": {
        "main.py": """
            import torch
            import torch.distributed as dist
            from torch.cuda.amp import GradScaler, autocast

            dist.init_process_group("nccl", init_method="env://")
            group = dist.new_group(backend="nccl")
            if dist.get_backend() == "nccl" and dist.is_nccl_available():
                pass
            scaler = GradScaler()
            with autocast(), torch.autocast("cuda", dtype=torch.float16):
                pass
            with torch.autocast(device_type="cuda"):
                pass
            model = torch.nn.parallel.DistributedDataParallel(model, device_ids=["cuda:0"])
            dist.init_process_group(backend="cpu:gloo,cuda:nccl")
            """,
    },
}


@pytest.mark.parametrize("name", PROJECTS)
def test_small_projects(name: str, tmp_path: Path) -> None:
    project = tmp_path / "in"
    project.mkdir()
    for path, content in PROJECTS[name].items():
        (project / path).write_text(dedent(content).lstrip("\n"), encoding="utf-8")
    report = migrated(project, tmp_path / "out")
    assert unreported(project, tmp_path / "out", report) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        pytest.param("x.cuda()\n", ["1 cuda"], id="a method"),
        pytest.param("a = 'cuda:0'\n", ["1 cuda"], id="a text"),
        pytest.param("a = f'cuda:{b}'\n", ["1 cuda"], id="an f-string"),
        pytest.param("init('nccl')\n", ["1 nccl"], id="a backend"),
        pytest.param("e['cuda'] = 1\n", [], id="a key"),
        pytest.param("e['NCCL_DEBUG'] = 1\n", ["1 NCCL"], id="an environment variable"),
        pytest.param("args.cuda = 1\nx.cuda()\n", ["2 cuda"], id="a call beside a flag"),
        pytest.param("'''cuda'''\n# cuda\n", [], id="documentation and remarks"),
        pytest.param("print('on cuda')\nopen('/cuda')\n", [], id="messages and paths"),
        pytest.param("use_cuda = 1\nif args.use_cuda: pass\n", [], id="names of the project"),
        pytest.param("p.add('--cuda')\nif args.cuda: pass\n", [], id="options"),
    ],
)
def test_the_check_itself(source: str, found: list[str]) -> None:
    left = residue(source, own_names([source]))
    assert [f"{item.line} {word[0]}" for item in left if (word := _WORD.search(item.text))] == found
