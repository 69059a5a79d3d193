"""Write pages of docs from what they are about; with --check, fail when a page is stale.

One page a rule (``docs/rules/<CODE>.md``) and an index. The pages are what ``ascendify rule CODE``
prints, so there is one text to keep right. Error codes and environment variables have a page each,
from the tables that ``ascendify explain`` and ``ascendify doctor`` use, packages that need CUDA one
from the catalogue. What is said of releases of PyTorch and TensorFlow in README and docs stands
between markers, and comes from what they were tried with; so does what the architecture page draws
from the code.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import architecture

from ascendify.catalog import cuda_packages, gpu_variables, libraries
from ascendify.catalog.cuda_packages import CudaPackage
from ascendify.catalog.gpu_variables import GpuVariable
from ascendify.catalog.libraries import Library, LibraryPart, Setting
from ascendify.cluster.codes import Code, all_codes
from ascendify.cluster.variables import Spec, describe_values, specs
from ascendify.emulation import releases
from ascendify.emulation.codes import CODES
from ascendify.emulation.releases import FAST, PORTABLE, TENSORFLOW, TORCH, TriedRelease
from ascendify.findings import RuleInfo, Status
from ascendify.rules.registry import FAMILIES, RegisteredRule, entries

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FOLDER = DOCS / "rules"
_FAMILY_TITLES = {
    "tf1": "TensorFlow 1.15",
    "keras": "Keras",
    "horovod": "Horovod",
    "tf2": "TensorFlow 2",
    "torch": "PyTorch",
    "shell": "Launch scripts and requirements",
    "emulation": "Seen while a program runs",
}
_STATUS_WORDS = {
    "auto": "rewritten, semantics kept",
    "auto-check": "rewritten; check the result in the way the finding says",
    "manual": "a person must act; the finding carries the recipe",
    "blocker": "cannot run on an NPU until it is redesigned",
    "info": "worth knowing",
}


def pages() -> dict[str, str]:
    """Every page by file name."""
    result = {f"{code}.md": _page(entry) for code, entry in entries().items()}
    result.update({f"{code}.md": _seen_page(info) for code, info in CODES.items()})
    result["README.md"] = _index()
    return result


def _page(entry: RegisteredRule) -> str:
    rule = entry.rule
    parts = _head(entry.info)
    if rule.before:
        parts += ["## Example", _code(rule.before, entry.family)]
    if rule.after:
        parts += ["Becomes:", _code(rule.after, entry.family)]
    if rule.safety:
        parts += ["## How the result may differ", _flow(rule.safety)]
    if rule.foretells:
        seen = ", ".join(f"[{code}]({code}.md)" for code in rule.foretells)
        parts += [
            "## In a strict run",
            f"What is left to do by hand stops `ascendify run --strict`: {seen}.",
        ]
    parts += [
        "## Leave it alone",
        f"`# ascendify: skip[{rule.code}]` on the line, or `--ignore {rule.code}`.",
    ]
    return "\n\n".join(parts) + "\n"


def _seen_page(info: RuleInfo) -> str:
    """The page of what `ascendify run --strict` and `ascendify verify` see."""
    parts = [
        *_head(info),
        "## Where it comes from",
        "`ascendify run --strict` and `ascendify verify` see it while the program runs on the CPU. "
        "The finding names the line of the program that asks for it.",
    ]
    return "\n\n".join(parts) + "\n"


def _head(info: RuleInfo) -> list[str]:
    return [
        f"# {info.code}: {info.title}",
        f"Family: {_FAMILY_TITLES[info.family]}.",
        "## Why it matters",
        _flow(info.why),
        "## What it reports",
        "\n".join(f"- `{item.value}`: {_STATUS_WORDS[item.value]}" for item in info.statuses),
    ]


def _index() -> str:
    lines = [
        "# Rules",
        "",
        "Generated from the rules by `tools/build_docs.py`; `ascendify rule CODE` prints a page.",
    ]
    infos = [*(entry.info for entry in entries().values()), *CODES.values()]
    for family in (*FAMILIES, "emulation"):
        lines += ["", f"## {_FAMILY_TITLES[family]}", "", "| Code | What it makes true | Reports |"]
        lines.append("| --- | --- | --- |")
        lines += [
            f"| [{info.code}]({info.code}.md) | {info.title} | {_statuses(info.statuses)} |"
            for info in infos
            if info.family == family
        ]
    return "\n".join(lines) + "\n"


def _statuses(statuses: tuple[Status, ...]) -> str:
    return ", ".join(item.value for item in statuses)


def _flow(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _code(text: str, family: str) -> str:
    language = "sh" if family == "shell" else "python"
    return f"```{language}\n{text.rstrip()}\n```"


def tables() -> dict[str, str]:
    """The pages beside the rules, by file name."""
    return {
        "error-codes.md": _codes_page(),
        "environment-variables.md": _variables_page(),
        "cuda-packages.md": _packages_page(),
        "libraries.md": _libraries_page(),
    }


def _codes_page() -> str:
    lines = [
        "# Error codes",
        "",
        "Generated from the table of `ascendify explain` by `tools/build_docs.py`. "
        "`ascendify explain CODE` prints an entry, `ascendify explain train.log` every code in a "
        "log. Facts are in our own words; where no public source was found, the entry says so.",
        "",
        "An entry marked *follows* is most often the consequence of an error elsewhere: of another "
        "rank, or further up in the log. Look for the first error by time.",
    ]
    family = ""
    for code in all_codes():
        if code.family != family:
            family = code.family
            title = family[0].upper() + family[1:]
            lines += ["", f"## {title}", "", "| Code | Meaning | Likely cause | Check | Fix |"]
            lines.append("| --- | --- | --- | --- | --- |")
        lines.append(_code_row(code))
    sources = dict.fromkeys(code.source for code in all_codes() if code.source)
    lines += ["", "## Sources", "", *(f"- {source}" for source in sources)]
    unverified = [code.code for code in all_codes() if not code.verified]
    lines += ["", f"Without a public source: {', '.join(f'`{code}`' for code in unverified)}."]
    return "\n".join(lines) + "\n"


def _code_row(code: Code) -> str:
    name = f"<br>`{code.name}`" if code.name else ""
    mark = " *follows*" if code.follows else ""
    cells = (f"**{code.title}.** {code.meaning}{mark}", code.cause, code.check, code.fix)
    return f"| `{code.code}`{name} | {' | '.join(map(_cell, cells))} |"


def _variables_page() -> str:
    lines = [
        "# Environment variables",
        "",
        "Generated from the table of `ascendify doctor` by `tools/build_docs.py`. The doctor "
        "checks the values of the shell it runs in, and the rules between them.",
    ]
    group = ""
    for spec in specs():
        if spec["group"] != group:
            group = spec["group"]
            title = group[0].upper() + group[1:]
            lines += ["", f"## {title}", "", "| Variable | Values | Default | Meaning |"]
            lines.append("| --- | --- | --- | --- |")
        lines.append(_variable_row(spec))
    lines += [
        "",
        "## Read by GPU software only",
        "",
        "The doctor warns of the settings among them; the rules TF1-GPU-3, TF1-GPU-4, SH-CUDA-1, "
        "SH-ENV-1, TORCH-ENV-1, TORCH-ENV-2, TORCH-ENV-3 and TORCH-SH-3 rename them or take them "
        "out. `*` stands for any letters; the first row that matches counts.",
        "",
        "| Variable | Read by | On an NPU |",
        "| --- | --- | --- |",
        *map(_gpu_variable_row, gpu_variables.all_variables()),
        "",
        "### Sources",
        "",
        *_sources(gpu_variables.all_variables()),
    ]
    return "\n".join(lines) + "\n"


def _gpu_variable_row(variable: GpuVariable) -> str:
    unread = "" if variable.kind == gpu_variables.BUILD else "Leave it out."
    sentence = f"{variable.instead() or unread} {variable.changes}".strip()
    return f"| `{variable.name}` | {variable.reader} | {_cell(sentence)} |"


def _packages_page() -> str:
    lines = [
        "# Packages that need CUDA",
        "",
        "Generated from the catalogue by `tools/build_docs.py`. TF1-GPU-8 and TORCH-LIB-1 report "
        "their imports, REQ-2 the requirements. `*` stands for anything.",
        "",
        "| Import | Requirement | The package | In its place | What to do |",
        "| --- | --- | --- | --- | --- |",
        *map(_package_row, cuda_packages.all_packages()),
        "",
        "## Sources",
        "",
        *_sources(cuda_packages.all_packages()),
    ]
    return "\n".join(lines) + "\n"


def _libraries_page() -> str:
    known = sorted(libraries.all_libraries(), key=lambda item: _library_name(item).lower())
    shown = [item for item in known if item.all_names]
    settings = libraries.settings()
    uses = libraries.uses()
    lines = [
        "# Libraries of PyTorch programs",
        "",
        "Generated from the catalogue by `tools/build_docs.py`. `ascendify api NAME` prints an "
        "entry. TORCH-LIB-1 reports imports, TORCH-LIB-2 settings and functions, REQ-2 and "
        "TORCH-REQ-3 requirements. *Not verified* marks what no public source says; nothing here "
        "was run on a device by us.",
        "",
        "| Import | On an NPU | Beside it or in its place | What to do |",
        "| --- | --- | --- | --- |",
        *map(_library_row, shown),
        "",
        "## CUDA inside a library",
        "",
        "Some libraries choose devices in their own code, which is not rewritten: "
        + ", ".join(f"`{_library_name(item)}`" for item in shown if item.inside)
        + ". To try one unchanged, `ascendify migrate PROJECT --transfer train.py` imports "
        "`torch_npu.contrib.transfer_to_npu` in that script alone, before everything that "
        "imports names from torch; all other code is rewritten as usual.",
        "",
        "## Settings",
        "",
        "Arguments, keys of dictionaries and of configuration files, defaults of options, and "
        "options of commands.",
        "",
        "| Setting | Values | What it does | What to do |",
        "| --- | --- | --- | --- |",
        *map(_setting_row, settings),
        "",
        "## Functions",
        "",
        "| Name | What it does | What to do |",
        "| --- | --- | --- |",
        *(
            f"| {', '.join(f'`{name}`' for name in use.names)} | {use.found} | {_cell(use.todo)} |"
            for use in uses
        ),
        "",
        "## Sources",
        "",
        *_sources([*shown, *settings, *uses]),
    ]
    return "\n".join(lines) + "\n"


def _library_name(library: Library) -> str:
    return library.all_names[0] if library.all_names else ""


def _library_row(library: Library) -> str:
    names = ", ".join(f"`{name}`" for name in library.all_names)
    todo = f"{library.todo} {library.setup}".strip()
    return f"| {names} | {library.state} | {library.replacement} | {_cell(todo)} |"


def _setting_row(setting: Setting) -> str:
    names = ", ".join(f"`{name}`" for name in setting.names)
    values = ", ".join(f"`{value}`" for value in setting.values) or "any number"
    return f"| {names} | {values} | {setting.found} | {_cell(setting.todo)} |"


def _package_row(package: CudaPackage) -> str:
    frameworks = [name for name in ("tensorflow", "torch") if package.concerns(name)]
    advice = dict.fromkeys(map(package.instead, frameworks))
    since = f" (from {package.since})" if package.since else ""
    cells = (
        ", ".join(f"`{name}`" for name in package.imports),
        ", ".join(f"`{name}`" for name in package.distributions),
        package.what,
        package.replacement + since,
        "<br>".join(map(_cell, advice)),
    )
    return f"| {' | '.join(cells)} |"


def _sources(
    rows: Iterable[GpuVariable | CudaPackage | Library | Setting | LibraryPart],
) -> list[str]:
    return [
        f"- {sentence}" for sentence in dict.fromkeys(each for row in rows for each in row.source)
    ]


def _variable_row(spec: Spec) -> str:
    values = describe_values(spec)
    for place, other in spec.get("on", {}).items():
        values += f"; on {place} {describe_values({**spec, **other})}"
    meaning = spec["meaning"]
    if "hardware" in spec:
        meaning += f" Read on {', '.join(spec['hardware'])}."
    default = f"`{spec['default']}`" if spec["default"] is not None else ""
    return f"| `{spec['name']}` | {_cell(values)} | {default} | {_cell(meaning)} |"


def _cell(text: str) -> str:
    """Text that stays in its cell, and shows what looks like a tag."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*_", "\\*\\_")


# --- what stands between markers -------------------------------------------------------------

WITH_MARKERS = (
    "CHANGELOG.md",
    "README.md",
    "docs/architecture.md",
    "docs/emulation-tf2.md",
    "docs/emulation-torch.md",
    "docs/pytorch.md",
    "docs/running.md",
)
_OVERHEAD = {
    "network": "wide residual network, 32 images of 32x32",
    "perceptron": "perceptron, AdamW",
    "transformer": "transformer, AdamW",
    "LSTM": "LSTM, AdamW",
}
"""Columns of the table, and the cases of benchmarks/emulation_torch.py they show."""


def inserted(rows: list[TriedRelease]) -> dict[str, str]:
    """Marker -> the text after it, up to ``<!-- end -->``."""
    return {
        "torch releases": releases.promised_text(rows),
        "tensorflow releases": releases.promised_text(rows, TENSORFLOW),
        "torch overhead": _overhead(rows),
        "releases tried": "\n" + "\n".join(release_table(rows)) + "\n",
        "tensorflow releases tried": "\n" + "\n".join(tensorflow_table(rows)) + "\n",
        **architecture.insertions(),
    }


def _overhead(rows: list[TriedRelease]) -> str:
    """Ratios to the CPU by path, each the median of the releases that were measured."""
    parts = []
    for path in (FAST, PORTABLE):
        found = [row.overhead.ratios for row in rows if row.path == path and row.overhead]
        if found:
            figures = [median(ratios[case] for ratios in found) for case in _OVERHEAD.values()]
            sentence = ", ".join(f"{figure:.2f}" for figure in figures)
            count = "1 row" if len(found) == 1 else f"median of {len(found)} rows"
            parts.append(f"{path} path {sentence} ({count})")
    return "; ".join(parts)


def with_insertions(text: str, wanted: dict[str, str]) -> str:
    """A page with what stands between markers replaced."""
    for marker, sentence in wanted.items():
        pattern = rf"(<!-- {marker} -->).*?(<!-- end -->)"
        text = re.sub(
            pattern, "\\g<1>" + sentence.replace("\\", "\\\\") + "\\g<2>", text, flags=re.S
        )
    return text


def release_table(rows: list[TriedRelease]) -> list[str]:
    """The results of trying each release of PyTorch."""
    head = ["PyTorch", "build", "Python", "machine", "stands for torch_npu", "path", "tests",
            "OpInfo", "examples", *_OVERHEAD]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join(_release_cells(row))} |" for row in rows if row.framework == TORCH]
    return lines


def tensorflow_table(rows: list[TriedRelease]) -> list[str]:
    """The results of trying each release of TensorFlow."""
    head = ["TensorFlow", "Python", "machine", "tests", "examples"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for row in rows:
        if row.framework == TENSORFLOW:
            results = (row.note or _tests_cell(row), _examples_cell(row))
            lines.append(f"| {' | '.join((row.version, row.python, row.machine, *results))} |")
    return lines


def _tests_cell(row: TriedRelease) -> str:
    return f"{row.tests.passed} of {row.tests.passed + len(row.tests.failed)}" if row.tests else ""


def _examples_cell(row: TriedRelease) -> str:
    if row.examples is None:
        return ""
    tried = len(row.examples.verified) + len(row.examples.failed)
    parts = [f"{len(row.examples.verified)} of {tried}"]
    parts += [f"{name} failed" for name in row.examples.failed]
    parts += [f"{name} needs {package}" for name, package in row.examples.needs.items()]
    return _cell("; ".join(parts))


def _release_cells(row: TriedRelease) -> list[str]:
    first = [row.version, row.build, row.python, row.machine, row.stands_for, row.path]
    if row.note:
        return [*first, "not possible", *[""] * (2 + len(_OVERHEAD))]
    # rounded down: 100.0 % is said only of a release where nothing fails
    opinfo = f"{int(row.opinfo.share * 1000) / 10} %" if row.opinfo else ""
    ratios = row.overhead.ratios if row.overhead else {}
    figures = [f"{ratios[case]:.2f}" if case in ratios else "" for case in _OVERHEAD.values()]
    return [*first, _tests_cell(row), opinfo, _examples_cell(row), *figures]


def stale_insertions() -> list[str]:
    """Pages whose text between markers is not what the rows say."""
    wanted = inserted(releases.read())
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in WITH_MARKERS}
    return [name for name, text in texts.items() if with_insertions(text, wanted) != text]


def stale() -> list[str]:
    """Names of the pages that differ from what they are about, or should not be there."""
    wanted = {f"rules/{name}": text for name, text in pages().items()}
    wanted.update(tables())
    paths = [*FOLDER.glob("*.md"), *(DOCS / name for name in tables() if (DOCS / name).exists())]
    present = {
        path.relative_to(DOCS).as_posix(): path.read_text(encoding="utf-8") for path in paths
    }
    return sorted(name for name in {*wanted, *present} if wanted.get(name) != present.get(name))


def main() -> int:
    """Write the pages, or with --check only compare them."""
    if "--check" in sys.argv[1:]:
        found = stale()
        found = [*(f"docs/{name}" for name in found), *stale_insertions()]
        for name in found:
            print(f"{name} is stale: run tools/build_docs.py")
        return 1 if found else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    for name, text in tables().items():
        (DOCS / name).write_text(text, encoding="utf-8")
    for name in WITH_MARKERS:
        text = with_insertions((ROOT / name).read_text(encoding="utf-8"), inserted(releases.read()))
        (ROOT / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
