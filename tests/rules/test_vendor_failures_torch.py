"""Where the vendor's tool breaks a PyTorch program or says nothing, all rules together do right."""

from __future__ import annotations

from textwrap import dedent

from ascendify.rules.site import Facts
from support.rewriting import Rewritten
from support.rule_cases import Case, run


def text(source: str) -> str:
    """A program written at the indentation of the test around it."""
    return dedent(source).lstrip("\n")


def migrated(source: str, *, defined: str = "", **files: str) -> Rewritten:
    """One entry point of a PyTorch project after all rules; ``a_py`` names the file a.py."""
    facts = Facts(
        entry_points=frozenset({"main.py"}),
        frameworks=frozenset({"torch"}),
        framework="torch",
        defined=frozenset(defined.split()),
    )
    others = {".".join(name.rsplit("_", 1)): text(content) for name, content in files.items()}
    return run(Case("ALL", "", text(source), facts=facts, files=others))


def body(outcome: Rewritten) -> list[str]:
    """The lines of the migrated program, without its imports and empty lines."""
    return [
        line
        for line in outcome.after.splitlines()
        if line.strip() and not line.startswith(("import ", "from "))
    ]


# what the program owns


def test_methods_and_attributes_of_the_project_keep_their_names() -> None:
    outcome = migrated(
        """
        import torch


        class Config:
            CUDA = True

            def cuda(self):
                return self.CUDA


        cfg = Config()
        use = cfg.cuda()
        cfg.CUDA = cfg.MODEL.CUDA
        x = torch.zeros(3).cuda()
        """,
        defined="cuda",
    )
    assert body(outcome) == [
        "class Config:",
        "    CUDA = True",
        "    def cuda(self):",
        "        return self.CUDA",
        "cfg = Config()",
        "use = cfg.cuda()",
        "cfg.CUDA = cfg.MODEL.CUDA",
        "x = torch.zeros(3).npu()",
    ]


def test_nothing_is_evaluated_twice() -> None:
    source = """
        import torch

        x = torch.zeros(3)
        x.to(next(places))
        x.to(rank)
        date.to(zone)
    """
    assert body(migrated(source)) == body(run(Case("NONE", "", text(source))))


# texts


def test_texts_are_renamed_by_what_they_are_for() -> None:
    outcome = migrated("""
        import os
        import torch

        os.environ["PATH"] += ":/usr/local/cuda:/opt"
        times = {"cuda": 0.0, "cpu": 0.0}
        times["cuda"] += 1.0
        print("cuda", "nccl")
        device = torch.device("cuda")
    """)
    assert body(outcome) == [
        'os.environ["PATH"] += ":/usr/local/cuda:/opt"',
        'times = {"cuda": 0.0, "cpu": 0.0}',
        'times["cuda"] += 1.0',
        'print("cuda", "nccl")',
        'device = torch.device("npu")',
    ]


def test_a_file_from_a_gpu_is_still_found_by_its_device() -> None:
    outcome = migrated("""
        import torch

        state = torch.load(path, map_location={"cuda:0": "cuda:1"})
    """)
    assert body(outcome) == [
        'state = torch.load(path, map_location={"cuda:0": "npu:1", "npu:0": "npu:1"})'
    ]


def test_comparisons_with_devices_are_not_left_behind() -> None:
    outcome = migrated("""
        import torch


        def forward(x, device):
            if x.device.type == "cuda" and str(device).startswith("cuda"):
                return x.is_cuda
            return device.type in ("cuda", "xpu")
    """)
    assert body(outcome) == [
        "def forward(x, device):",
        '    if x.device.type == "npu" and str(device).startswith("npu"):',
        "        return x.is_npu",
        '    return device.type in ("cuda", "npu", "xpu")',
    ]


def test_a_variable_bound_anew_is_told_apart() -> None:
    outcome = migrated("""
        import torch


        def first():
            name = "cuda"
            return torch.zeros(3, device=name)


        def second():
            name = "cuda"
            return name + ".log"
    """)
    assert body(outcome)[1] == '    name = "npu"'
    assert body(outcome)[4] == '    name = "cuda"'


# runs


def test_a_second_run_changes_nothing() -> None:
    source = """
        import torch

        parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model.to(device).cuda()
        torch.load(path, map_location={"cuda:0": f"cuda:{rank}"})
    """
    once = migrated(source).after
    assert migrated(once).after == once
    assert once.count("import torch_npu") == 1


# names of torch.cuda and imports


def test_no_name_is_written_that_torch_npu_does_not_have() -> None:
    outcome = migrated("""
        import torch

        graph = torch.cuda.CUDAGraph()
        torch.cuda.nvtx.range_push("step")
        torch.cuda.comm.broadcast(x, [0, 1])
    """)
    assert body(outcome) == [
        "graph = torch.npu.NPUGraph()",
        'torch.npu.mstx.range_push("step")',
        "torch.cuda.comm.broadcast(x, [0, 1])",
    ]
    assert [item.span.line for item in outcome.findings if item.status.value == "blocker"] == [5]


def test_submodules_are_imported_once_not_as_a_second_copy() -> None:
    outcome = migrated("""
        from torch.cuda.amp import GradScaler
        from torch.cuda.memory import memory_stats
    """)
    assert outcome.after == (
        "from torch_npu.npu.amp import GradScaler\nfrom torch_npu.npu import memory_stats\n"
    )


def test_torch_npu_is_imported_where_it_is_needed_only() -> None:
    for source in (
        "import torch\nfrom torch import nn\nlayer = nn.Linear(2, 2)\n",
        "from torchvision import transforms\nresize = transforms.Resize(8)\n",
    ):
        facts = Facts(frameworks=frozenset({"torch"}), framework="torch")
        assert run(Case("ALL", "", source, facts=facts)).after == source


def test_torch_npu_is_imported_once_however_often_it_is_migrated() -> None:
    once = migrated("import torch\n\ntorch.cuda.synchronize()\n").after
    assert once == "import torch\nimport torch_npu  # noqa: F401\n\ntorch.npu.synchronize()\n"
    assert migrated(once).after == once


def test_flags_for_tf32_are_not_missed() -> None:
    outcome = migrated("""
        import torch

        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
    """)
    assert body(outcome) == [
        "torch.npu.matmul.allow_hf32 = True",
        "torch.npu.conv.allow_hf32 = True",
    ]


def test_kernels_of_ones_own_are_told() -> None:
    outcome = migrated("""
        import triton
        from torch.utils.cpp_extension import CUDAExtension

        ext = CUDAExtension("ops", ["ops.cpp", "ops.cu"])


        @triton.jit
        def kernel(x):
            return x
    """)
    reported = {(item.code, item.span.line) for item in outcome.findings}
    assert {("TORCH-JIT-3", 4), ("TORCH-JIT-5", 7)} <= reported


def test_a_capability_that_is_none_is_not_compared() -> None:
    outcome = migrated("""
        import torch

        bf16 = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] >= 8
    """)
    assert body(outcome) == ["bf16 = torch.npu.is_available() and torch.npu.is_bf16_supported()"]


# mixed precision and several ranks


def test_a_backend_for_each_device_changes_as_a_whole() -> None:
    outcome = migrated("""
        import torch.distributed as dist

        dist.init_process_group("cpu:gloo,cuda:nccl", device_id=device)
        if dist.get_backend() == "nccl" and dist.is_nccl_available():
            waits = {"nccl": 30}
    """)
    assert body(outcome) == [
        'dist.init_process_group("cpu:gloo,npu:hccl", device_id=device)',
        'if dist.get_backend() == "hccl" and dist.is_hccl_available():',
        '    waits = {"nccl": 30}',
    ]
    reported = [item for item in outcome.findings if item.span.line == 5]
    assert [item.code for item in reported] == ["TORCH-DIST-1"]


def test_mixed_precision_is_one_and_the_same_module() -> None:
    """A module imported as torch.npu.amp is another copy than the one torch_npu has."""
    outcome = migrated("""
        import torch
        from torch.cuda.amp import GradScaler, autocast

        scaler = GradScaler(65536.0, 2.0, 0.5, 2000, args.amp)
    """)
    assert "from torch_npu.npu.amp import GradScaler, autocast" in outcome.after
    assert body(outcome) == ["scaler = GradScaler(65536.0, 2.0, 0.5, 2000, enabled=args.amp)"]


def test_wrapped_models_are_unwrapped_with_a_way_to_several_devices() -> None:
    outcome = migrated("""
        import torch

        train = torch.utils.data.DataLoader(images, 4, shuffle=True)
        check = torch.utils.data.DataLoader(others, 4)
        net = torch.nn.DataParallel(net)
        if hasattr(net.module, "classify"):
            net.module.classify()
    """)
    assert body(outcome)[2:] == ['if hasattr(net, "classify"):', "    net.classify()"]
    reported = next(item for item in outcome.findings if item.code == "TORCH-DIST-5")
    assert "--distributed add" in reported.todo
    assert "line 6, 7" in reported.done


def test_fused_optimizers_of_apex_do_not_stay() -> None:
    outcome = migrated("""
        import torch
        from apex.optimizers import FusedAdam

        optimizer = FusedAdam(model.parameters(), lr=0.1)
    """)
    assert "apex" not in outcome.after
    assert body(outcome) == [
        "optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, weight_decay=0.0)"
    ]


def test_a_guard_that_would_lose_what_is_rewritten_in_it_goes_in_the_same_run() -> None:
    outcome = migrated("""
        import torch


        def build():
            try:
                import apex

                norm = apex.normalization.FusedLayerNorm
            except ImportError:
                norm = None
            return norm
    """)
    assert "apex" not in outcome.after
    assert migrated(outcome.after).after == outcome.after
