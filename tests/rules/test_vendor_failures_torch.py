"""Where the vendor's tool breaks a PyTorch program or says nothing, all rules together do right."""

from __future__ import annotations

from textwrap import dedent

from harness import Case, run

from ascendify.migrate.onefile import Outcome
from ascendify.rules.site import Facts


def text(source: str) -> str:
    """A program written at the indentation of the test around it."""
    return dedent(source).lstrip("\n")


def migrated(source: str, *, defined: str = "", **files: str) -> Outcome:
    """One entry point of a PyTorch project after all rules; ``a_py`` names the file a.py."""
    facts = Facts(
        entry_points=frozenset({"main.py"}),
        frameworks=frozenset({"torch"}),
        framework="torch",
        defined=frozenset(defined.split()),
    )
    others = {".".join(name.rsplit("_", 1)): text(content) for name, content in files.items()}
    return run(Case("ALL", "", text(source), facts=facts, files=others))


def body(outcome: Outcome) -> list[str]:
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
