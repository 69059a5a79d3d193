"""Where new imports go, what they are called, and when the file's own are used."""

from __future__ import annotations

import ast

import pytest

from ascendify.findings import Finding, Span, Status
from ascendify.migrate.fixing import fix_python
from ascendify.rules.fix import Fix
from ascendify.rules.rule import Diagnosis
from ascendify.source.edits import apply
from ascendify.source.imports import Import, existing, free_name, insertions
from support.source_questions import parse

ANCHORS = ("tensorflow", "keras")
NPU = Import("npu_bridge.npu_init", "npu_config_proto")
LINE = "from npu_bridge.npu_init import npu_config_proto\n"


def _added(text: str, *wanted: Import) -> str:
    return apply(text, insertions(parse(text), wanted or (NPU,), ANCHORS))


PLACES = {
    "after the framework": (
        "import os\nimport tensorflow as tf\n\nx = 1\n",
        f"import os\nimport tensorflow as tf\n{LINE}\nx = 1\n",
    ),
    "after the imports that follow it": (
        "import tensorflow as tf\nimport numpy as np\nfrom util import (\n    a,\n    b,\n"
        ")\n\nx = 1\n",
        "import tensorflow as tf\nimport numpy as np\nfrom util import (\n    a,\n    b,\n)\n"
        f"{LINE}\nx = 1\n",
    ),
    "after a from import of the framework": (
        "from tensorflow.contrib import slim\nx = 1\n",
        f"from tensorflow.contrib import slim\n{LINE}x = 1\n",
    ),
    "behind a remark": (
        "import tensorflow as tf  # the framework\nx = 1\n",
        f"import tensorflow as tf  # the framework\n{LINE}x = 1\n",
    ),
    "behind what must come before the framework": (
        "import os\nos.environ['A'] = '1'\nimport tensorflow as tf\nx = 1\n",
        f"import os\nos.environ['A'] = '1'\nimport tensorflow as tf\n{LINE}x = 1\n",
    ),
    "after a guarded import": (
        "import os\ntry:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        "    import tensorflow as tf\nx = 1\n",
        "import os\ntry:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n"
        f"    import tensorflow as tf\n{LINE}x = 1\n",
    ),
    "without the framework after the leading imports": (
        "import os\nimport sys\n\nx = 1\n",
        f"import os\nimport sys\n{LINE}\nx = 1\n",
    ),
    "the framework inside a function only": (
        "import os\n\ndef f():\n    import tensorflow as tf\n",
        f"import os\n{LINE}\ndef f():\n    import tensorflow as tf\n",
    ),
    "the framework for type checkers only": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        "    import tensorflow as tf\nx = 1\n",
        f"from typing import TYPE_CHECKING\n{LINE}\nif TYPE_CHECKING:\n"
        "    import tensorflow as tf\nx = 1\n",
    ),
    "not before the future": (
        '"""Doc."""\nfrom __future__ import division\n\nx = 1\n',
        f'"""Doc."""\nfrom __future__ import division\n{LINE}\nx = 1\n',
    ),
    "no imports": ("x = 1\n", f"{LINE}x = 1\n"),
    "no imports, a docstring": (
        '"""Doc.\n\nMore.\n"""\nx = 1\n',
        f'"""Doc.\n\nMore.\n"""\n{LINE}x = 1\n',
    ),
    "shebang and encoding": (
        "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nx = 1\n",
        f"#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n{LINE}x = 1\n",
    ),
    "an encoding on the second line stays there": (
        "\n# -*- coding: latin-1 -*-\nx = 1\n",
        f"\n# -*- coding: latin-1 -*-\n{LINE}x = 1\n",
    ),
    "shebang, license, then a remark about the first statement": (
        "#!/usr/bin/env python\n\n# License.\n\n# The size.\nx = 1\n",
        f"#!/usr/bin/env python\n\n# License.\n\n{LINE}# The size.\nx = 1\n",
    ),
    "shebang, encoding and docstring": (
        '#!/usr/bin/env python\n# coding: gbk\n"""Doc."""\nimport os\nx = 1\n',
        f'#!/usr/bin/env python\n# coding: gbk\n"""Doc."""\nimport os\n{LINE}x = 1\n',
    ),
    "before a decorated function": (
        "@decorated\ndef f():\n    pass\n",
        f"{LINE}@decorated\ndef f():\n    pass\n",
    ),
    "nothing but a docstring": ('"""Doc."""\n', f'"""Doc."""\n{LINE}'),
    "nothing but a docstring and no final newline": ('"""Doc."""', f'"""Doc."""\n{LINE}'),
    "an empty file": ("", LINE),
    "nothing but remarks": ("# a\n# b\n", f"# a\n# b\n{LINE}"),
    "two imports on a line": (
        "import tensorflow as tf; import os\nx = 1\n",
        f"import tensorflow as tf; import os\n{LINE}x = 1\n",
    ),
    "something else on the line": (
        "import tensorflow as tf; x = tf.Session()\n",
        f"{LINE}import tensorflow as tf; x = tf.Session()\n",
    ),
    "the future on the line": (
        "from __future__ import division; import tensorflow as tf; x = 1\ny = 2\n",
        f"from __future__ import division; import tensorflow as tf; x = 1\n{LINE}y = 2\n",
    ),
    "a docstring on the line": (
        '"""Doc."""; import tensorflow as tf; x = 1\ny = 2\n',
        f'"""Doc."""; import tensorflow as tf; x = 1\n{LINE}y = 2\n',
    ),
    "no final newline": ("import tensorflow as tf", f"import tensorflow as tf\n{LINE}"[:-1]),
    "carriage returns": (
        "import tensorflow as tf\r\nx = 1\r\n",
        f"import tensorflow as tf\n{LINE}x = 1\n".replace("\n", "\r\n"),
    ),
    "carriage returns, no imports": (
        '"""Doc."""\r\nx = 1\r\n',
        f'"""Doc."""\n{LINE}x = 1\n'.replace("\n", "\r\n"),
    ),
}


@pytest.mark.parametrize(("before", "after"), PLACES.values(), ids=PLACES)
def test_place(before: str, after: str) -> None:
    assert _added(before) == after
    compile(after, "after.py", "exec")


STANDARD = {
    "in alphabetical order": (
        "import io\nimport sys\nx = 1\n",
        "import io\nimport os\nimport sys\nx = 1\n",
    ),
    "not before the future": (
        "from __future__ import division\nimport sys\n",
        "from __future__ import division\nimport os\nimport sys\n",
    ),
    "before the framework": (
        "import tensorflow as tf\nx = 1\n",
        "import os\nimport tensorflow as tf\nx = 1\n",
    ),
    "the future on the line": (
        "from __future__ import division; import sys\nx = 1\n",
        "from __future__ import division; import sys\nimport os\nx = 1\n",
    ),
    "no imports": ("x = 1\n", "import os\nx = 1\n"),
}


@pytest.mark.parametrize(("before", "after"), STANDARD.values(), ids=STANDARD)
def test_a_module_of_the_standard_library_goes_among_the_first(before: str, after: str) -> None:
    assert _added(before, Import("os")) == after
    compile(after, "after.py", "exec")


SPELLED = {
    "one line for one module": (
        [Import("m", "b"), Import("m", "a"), Import("m", "a")],
        "from m import a, b\n",
    ),
    "sorted by module": (
        [Import("z", "a"), Import("b", "z")],
        "from b import z\nfrom z import a\n",
    ),
    "another name": ([Import("m", "a", "a_2")], "from m import a as a_2\n"),
    "the same name needs no alias": ([Import("m", "a", "a")], "from m import a\n"),
    "a star": ([Import("m", "*")], "from m import *\n"),
    "a module": ([Import("m.n", local="n")], "import m.n as n\n"),
    "a remark": ([Import("m", "a", comment="noqa: F401")], "from m import a  # noqa: F401\n"),
}


@pytest.mark.parametrize(("wanted", "lines"), SPELLED.values(), ids=SPELLED)
def test_spelling_of_the_lines(wanted: list[Import], lines: str) -> None:
    assert _added("import tensorflow\n", *wanted) == f"import tensorflow\n{lines}"[:-1] + "\n"


def test_long_lines_are_wrapped() -> None:
    wanted = [Import("npu_bridge.npu_init", f"a_rather_long_name_{number}") for number in range(6)]
    text = _added("import tensorflow\n", *wanted)
    assert max(map(len, text.splitlines())) <= 100
    (_, node) = ast.parse(text).body
    assert isinstance(node, ast.ImportFrom)
    assert [alias.name for alias in node.names] == [item.name for item in wanted]


EXISTING = {
    "the same import": ("from npu_bridge.npu_init import npu_config_proto\n", "npu_config_proto"),
    "under another name": ("from npu_bridge.npu_init import npu_config_proto as c\n", "c"),
    "a star import": ("from npu_bridge.npu_init import *\n", "npu_config_proto"),
    # not to be relied on
    "nothing": ("import tensorflow as tf\n", None),
    "another module": ("from other import npu_config_proto\n", None),
    "guarded": (
        "try:\n    from npu_bridge.npu_init import npu_config_proto\nexcept E: pass\n",
        None,
    ),
    "in a function": ("def f():\n    from npu_bridge.npu_init import npu_config_proto\n", None),
    "rebound": (
        "from npu_bridge.npu_init import npu_config_proto\nnpu_config_proto = None\n",
        None,
    ),
    "shadowed in a function": (
        "from npu_bridge.npu_init import npu_config_proto\ndef f(npu_config_proto): pass\n",
        None,
    ),
    "a star import and a name of its own": (
        "from npu_bridge.npu_init import *\ndef npu_config_proto(): pass\n",
        None,
    ),
    "a star import and a local name of its own": (
        "from npu_bridge.npu_init import *\ndef f():\n    npu_config_proto = 1\n",
        None,
    ),
}


@pytest.mark.parametrize(("text", "spelling"), EXISTING.values(), ids=EXISTING)
def test_what_the_file_already_has(text: str, spelling: str | None) -> None:
    assert existing(parse(text), NPU) == spelling


MODULES = {
    "import as": ("import npu_bridge.npu_init as n\n", "n"),
    "import of the path does not bind it": ("import npu_bridge.npu_init\n", None),
    "import of the package is another thing": ("import npu_bridge\n", None),
}


@pytest.mark.parametrize(("text", "spelling"), MODULES.values(), ids=MODULES)
def test_modules_the_file_already_has(text: str, spelling: str | None) -> None:
    assert existing(parse(text), Import("npu_bridge.npu_init")) == spelling


CHOSEN = {
    "free": ("import tensorflow as tf\n", "npu_config_proto", "from m import npu_config_proto"),
    "taken by a variable": (
        "npu_config_proto = 1\n",
        "npu_config_proto_2",
        "from m import npu_config_proto as npu_config_proto_2",
    ),
    "taken by a parameter": (
        "def f(npu_config_proto): pass\n",
        "npu_config_proto_2",
        "from m import npu_config_proto as npu_config_proto_2",
    ),
    "taken by another import": (
        "from other import npu_config_proto\n",
        "npu_config_proto_2",
        "from m import npu_config_proto as npu_config_proto_2",
    ),
    "taken twice": (
        "npu_config_proto = npu_config_proto_2 = 1\n",
        "npu_config_proto_3",
        "from m import npu_config_proto as npu_config_proto_3",
    ),
    "used, and a star import may bring it": (
        "from util import *\nnpu_config_proto()\n",
        "npu_config_proto_2",
        "from m import npu_config_proto as npu_config_proto_2",
    ),
    "not used, whatever a star import brings": (
        "from util import *\n",
        "npu_config_proto",
        "from m import npu_config_proto",
    ),
    "an attribute of that name is no clash": (
        "x.npu_config_proto = 1\n",
        "npu_config_proto",
        "from m import npu_config_proto",
    ),
}


@pytest.mark.parametrize(("text", "spelling", "line"), CHOSEN.values(), ids=CHOSEN)
def test_names_never_clash(text: str, spelling: str, line: str) -> None:
    fix = Fix(parse(text))
    assert fix.use("m", "npu_config_proto") == spelling
    assert [item.statement for item in fix.imports] == [line]


def test_free_names_avoid_what_is_bound_and_what_is_read() -> None:
    module = parse("a = b\ndef c(d): pass\nimport e.f as g\n")
    names = [free_name(module, name) for name in "abcdeg"]
    assert names == ["a_2", "b_2", "c_2", "d_2", "e", "g_2"]
    assert free_name(module, "h", taken=["h"]) == "h_2"


def _wrapped(text: str) -> str:
    """The text after a fix that wraps the argument of ``run`` with an imported function."""
    module = parse(text)
    (call,) = module.index.calls_by_name["run"]
    fix = Fix(module)
    fix.wrap(call.args[0], fix.use("m", "npu") + "(")
    finding = Finding("X-1", Status.AUTO, "main.py", Span(), "found", "done")
    return fix_python(module, [Diagnosis(finding, fix)]).text


REUSED = {
    "above": ("from m import npu\nrun(x)\n", "from m import npu\nrun(npu(x))\n"),
    "below code that runs at once": (
        "import tensorflow\nrun(x)\nfrom m import npu\n",
        "import tensorflow\nfrom m import npu\nrun(npu(x))\nfrom m import npu\n",
    ),
    "below, under another name": (
        "import tensorflow\nrun(x)\nfrom m import npu as n\n",
        "import tensorflow\nfrom m import npu as n\nrun(n(x))\nfrom m import npu as n\n",
    ),
    "below a function that is called later": (
        "def f():\n    run(x)\nfrom m import npu\n",
        "def f():\n    run(npu(x))\nfrom m import npu\n",
    ),
    "below a class body, which runs at once": (
        "import tensorflow\nclass C:\n    y = run(x)\nfrom m import npu\n",
        "import tensorflow\nfrom m import npu\nclass C:\n    y = run(npu(x))\nfrom m import npu\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), REUSED.values(), ids=REUSED)
def test_an_import_is_there_before_it_is_used(before: str, after: str) -> None:
    assert _wrapped(before) == after


@pytest.mark.parametrize(
    ("text", "spelling", "added"),
    [
        pytest.param("import os\ndef f():\n    import os\n", "os", [], id="also-in-a-function"),
        pytest.param("def f():\n    import os\n", "os", ["import os"], id="in-a-function-only"),
        pytest.param("if x:\n    import os\n", "os", ["import os"], id="behind-a-condition"),
        pytest.param("def f(os):\n    pass\n", "os_2", ["import os as os_2"], id="a-parameter"),
        pytest.param(
            "import os\ndef f():\n    import other as os\n",
            "os_2",
            ["import os as os_2"],
            id="another-module",
        ),
    ],
)  # fmt: skip
def test_a_name_that_only_means_the_module_is_the_module(
    text: str, spelling: str, added: list[str]
) -> None:
    fix = Fix(parse(text))
    assert fix.use("os") == spelling
    assert [item.statement for item in fix.imports] == added
