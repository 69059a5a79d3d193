"""The words of findings in PyTorch projects: names that exist there, and what is computed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ascendify.findings import Finding
from support.rule_cases import Case, _usual, run

RANK = "int(os.environ['LOCAL_RANK'])"
ADAM_OR_ADAMW = "torch.optim.AdamW (torch.optim.Adam where adam_w_mode is False)"


def findings(code: str, text: str, **files: str) -> list[Finding]:
    case = Case(code, "advice", text, facts=_usual(code), files=files)
    return list(run(case).findings)


@pytest.mark.parametrize(
    ("text", "device"),
    [
        pytest.param(
            "def main(local_rank):\n    torch.distributed.init_process_group('nccl')\n"
            "    use(local_rank)\n",
            "local_rank",
            id="a-parameter",
        ),
        pytest.param(
            "def main(rank):\n    torch.distributed.init_process_group('nccl')\n"
            "def other(local_rank):\n    use(local_rank)\n",
            "rank % torch.npu.device_count()",
            id="a-name-of-another-function",
        ),
        pytest.param(
            "def train(n, args):\n    torch.distributed.init_process_group('nccl', rank=n)\n",
            "n % torch.npu.device_count()",
            id="the-rank-that-the-group-gets",
        ),
        pytest.param(
            "torch.distributed.init_process_group('nccl', rank=node * 8 + i)\n",
            "(node * 8 + i) % torch.npu.device_count()",
            id="a-rank-that-is-computed",
        ),
        pytest.param(
            "os.environ['RANK'] = str(comm.rank)\n"
            "torch.distributed.init_process_group('nccl', init_method='env://')\n",
            "int(os.environ['RANK']) % torch.npu.device_count()",
            id="a-program-that-numbers-its-processes",
        ),
        pytest.param(
            "rank = int(os.environ['RANK'])\nif rank < 0:\n    raise SystemExit\n"
            "torch.distributed.init_process_group('nccl')\n",
            "rank % torch.npu.device_count()",
            id="the-name-of-the-rank",
        ),
        pytest.param(
            "torch.distributed.init_process_group('nccl')\nlocal_rank = 1\nuse(local_rank)\n",
            RANK,
            id="a-name-that-gets-its-value-later",
        ),
        pytest.param(
            "args = parse()\ndef main():\n    torch.distributed.init_process_group('nccl')\n"
            "    use(args.gpu)\n",
            "args.gpu",
            id="an-option",
        ),
        pytest.param(
            "def main(args):\n    use(args.gpu)\ntorch.distributed.init_process_group('nccl')\n",
            RANK,
            id="an-option-of-another-function",
        ),
    ],
)
def test_the_device_to_set_has_a_name_that_is_defined_there(text: str, device: str) -> None:
    (finding,) = findings("TORCH-DIST-3", f"import os\nimport torch\n{text}")
    assert finding.todo == f"Call torch.npu.set_device({device}) before it."


@pytest.mark.parametrize(
    ("arguments", "optimizer"),
    [
        pytest.param("**more", ADAM_OR_ADAMW, id="arguments-that-are-not-visible"),
        pytest.param(
            "adam_w_mode=False, bias_correction=False", "torch.optim.Adam ", id="adam-with-l2"
        ),
        pytest.param("adam_w_mode=mode(), lr=1", ADAM_OR_ADAMW, id="either"),
        pytest.param("bias_correction=False", "torch.optim.AdamW ", id="adamw-by-default"),
    ],
)
def test_apex_adam_with_l2_is_adam(arguments: str, optimizer: str) -> None:
    text = f"import apex\nimport torch\napex.optimizers.FusedAdam(parameters, {arguments})\n"
    (finding,) = findings("TORCH-APEX-1", text)
    assert f"Use {optimizer}".strip() in finding.todo


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("from distutils.version import LooseVersion", "packaging.version.Version"),
        ("from distutils.util import strtobool", "text.lower()"),
        ("from distutils.dir_util import copy_tree", "shutil.copytree"),
        ("from distutils.spawn import find_executable", "shutil.which"),
        ("import distutils", "setuptools"),
        ("from torch._six import string_classes", "str for string_classes"),
    ],
)
def test_advice_for_a_removed_module_is_about_what_is_imported(line: str, advice: str) -> None:
    (finding,) = findings("TORCH-DRIFT-2", f"import torch\n{line}\n")
    assert advice in finding.todo


@pytest.mark.parametrize("code", ["TORCH-JIT-1", "TORCH-RAND-2", "TORCH-API-1", "TORCH-DRIFT-2"])
def test_findings_that_one_decision_settles_have_one_cause(code: str) -> None:
    text = (
        "import numpy as np\nimport torch\n"
        "a = torch.compile(f)\nb = torch.compile(g)\n"
        "torch.backends.cudnn.deterministic = True\n"
        "torch.backends.cudnn.deterministic = True\n"
        "torch.nn.MaxPool3d(2)\n"
        "x = np.int(1)\ny = np.int(2)\n"
    )
    found = findings(code, text)
    assert found
    assert len({finding.cause for finding in found}) == 1
    assert all(finding.cause for finding in found)


def test_calls_of_one_removed_function_have_one_cause() -> None:
    text = (
        "import torch\nimport scipy.misc as m\n"
        "a = m.imread(x)\nb = m.imread(y)\nc = m.imresize(a)\n"
    )
    causes = [finding.cause for finding in findings("TORCH-DRIFT-2", text)]
    assert causes == ["scipy.misc.imread", "scipy.misc.imread", "scipy.misc.imresize"]


def test_each_library_of_an_import_is_named() -> None:
    found = findings("TORCH-LIB-1", "import torch, os, cupy, pynvml\n")
    assert [finding.found.partition(", which ")[0].rpartition(" ")[2] for finding in found] == [
        "cupy",
        "pynvml",
    ]


def test_extensions_are_told_where_they_are_imported_and_not_their_package() -> None:
    setup = (
        "from setuptools import setup\n"
        "setup(name='det', ext_modules=[make('det_cuda', sources=['src/nms.cu'])])\n"
    )
    helper = "from det.ops import det_cuda\n"
    text = "import torch\nfrom det.utils import box\nfrom det.ops import det_cuda\n"
    made = "def make(name, sources):\n    return CUDAExtension(name=name, sources=sources)\n"
    files = {
        "setup.py": f"{made}{setup}",
        "det/__init__.py": "",
        "det/utils.py": "box = 1\n",
        "det/ops/__init__.py": "",
        "det/ops/nms.py": helper,
    }
    case = replace(Case("TORCH-JIT-3", "", text, facts=_usual("TORCH-JIT-3")), files=files)
    assert [finding.span.line for finding in run(case).findings] == [3]
