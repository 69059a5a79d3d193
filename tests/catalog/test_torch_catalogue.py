"""PyTorch in the catalogue: names, classes, results, signatures, verdicts, NPU counterparts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ascendify import catalog
from ascendify.catalog import names, signatures, support, torch_npu, types
from ascendify.catalog._data import TORCH, framework, table
from ascendify.catalog.knowledge import CatalogKnowledge

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("torch.nn.Module", "torch.nn.Module"),
        ("torch.nn.modules.module.Module", "torch.nn.Module"),
        ("torch.nn.modules.conv.Conv2d", "torch.nn.Conv2d"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.nn.parallel.DataParallel", "torch.nn.DataParallel"),
        (
            "torch.nn.parallel.distributed.DistributedDataParallel",
            "torch.nn.parallel.DistributedDataParallel",
        ),
        (
            "torch.distributed.distributed_c10d.init_process_group",
            "torch.distributed.init_process_group",
        ),
        ("torch.distributed.init_device_mesh", "torch.distributed.device_mesh.init_device_mesh"),
        ("torch.distributed._composable.fsdp.fully_shard", "torch.distributed.fsdp.fully_shard"),
        ("torch.utils.data.dataloader.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.utils.data.distributed.DistributedSampler", "torch.utils.data.DistributedSampler"),
        ("torch.functional.einsum", "torch.einsum"),
        ("torch.serialization.load", "torch.load"),
        ("torch.random.manual_seed", "torch.manual_seed"),
        ("torch.conv2d", "torch.nn.functional.conv2d"),
        ("torch.autograd.Variable", "torch.autograd.Variable"),
        ("torch.autograd.grad_mode.no_grad", "torch.no_grad"),
        ("torch.amp.autocast", "torch.autocast"),
        ("torch.GradScaler", "torch.amp.GradScaler"),
        ("torch.half", "torch.float16"),
        ("torch.optim.adamw.AdamW", "torch.optim.AdamW"),
        ("torch.Tensor.cuda", "torch.Tensor.cuda"),
        ("torch.nn.modules.linear.Linear.cuda", "torch.nn.Linear.cuda"),
        ("torch.backends.cudnn.benchmark", "torch.backends.cudnn.benchmark"),
        ("torch.version.cuda", "torch.version.cuda"),
        ("lightning.pytorch.Trainer", "pytorch_lightning.Trainer"),
        ("horovod.torch.mpi_ops.allreduce", "horovod.torch.allreduce"),
    ],
)
def test_one_name_for_one_object(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected
    assert CatalogKnowledge().canonical(dotted) == expected


@pytest.mark.parametrize(
    ("dotted", "expected"),
    [
        ("torch.cuda.is_available", "torch.cuda.is_available"),
        ("torch.cuda.streams.Stream", "torch.cuda.Stream"),
        ("torch.cuda.memory.memory_allocated", "torch.cuda.memory_allocated"),
        ("torch.cuda.random.manual_seed_all", "torch.cuda.manual_seed_all"),
        ("torch.cuda.graphs.CUDAGraph", "torch.cuda.CUDAGraph"),
        ("torch.cuda.amp.grad_scaler.GradScaler", "torch.cuda.amp.GradScaler"),
        ("torch.cuda.amp.autocast_mode.autocast", "torch.cuda.amp.autocast"),
        ("torch.cuda.OutOfMemoryError", "torch.cuda.OutOfMemoryError"),
        ("torch.cuda.nvtx.range_push", "torch.cuda.nvtx.range_push"),
        ("torch_npu.npu.set_device", "torch.npu.set_device"),
        ("torch_npu.npu.amp.autocast", "torch.npu.amp.autocast"),
        ("torch_npu.npu_fusion_attention", "torch_npu.npu_fusion_attention"),
    ],
)
def test_names_of_devices_stay_where_they_are(dotted: str, expected: str) -> None:
    assert names.canonical(dotted) == expected


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("torch.nn.Linear.cuda", "torch.nn.Module.cuda"),
        ("torch.nn.Sequential.to", "torch.nn.Module.to"),
        ("torch.nn.parallel.DistributedDataParallel.parameters", "torch.nn.Module.parameters"),
        ("torch.nn.Parameter.cuda", "torch.Tensor.cuda"),
        ("torch.cuda.FloatTensor.cuda", "torch.Tensor.cuda"),
        ("torch.optim.AdamW.zero_grad", "torch.optim.Optimizer.zero_grad"),
        ("torch.cuda.amp.GradScaler.scale", "torch.amp.GradScaler.scale"),
        ("torch.cuda.Stream.wait_stream", "torch.cuda.Stream.wait_stream"),
        ("torch.optim.lr_scheduler.StepLR.step", "torch.optim.lr_scheduler.LRScheduler.step"),
    ],
)
def test_members_belong_to_the_class_that_declares_them(api: str, expected: str) -> None:
    assert types.member(api) == expected


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("torch.zeros", "torch.Tensor"),
        ("torch.tensor", "torch.Tensor"),
        ("torch.from_numpy", "torch.Tensor"),
        ("torch.autograd.Variable", "torch.Tensor"),
        ("torch.nn.functional.cross_entropy", "torch.Tensor"),
        ("torch.nn.functional.gelu", "torch.Tensor"),
        ("torch.linalg.norm", "torch.Tensor"),
        ("torch.Tensor.view", "torch.Tensor"),
        ("torch.Tensor.cuda", "torch.Tensor"),
        ("torch.Tensor.__add__", "torch.Tensor"),
        ("torch.Tensor.size", None),
        ("torch.Tensor.item", None),
        ("torch.topk", "torch.return_types.topk"),
        ("torch.split", "tuple[torch.Tensor,...]"),
        ("torch.device", "torch.device"),
        ("torch.cuda.current_device", "int"),
        ("torch.cuda.is_available", "bool"),
        ("torch.cuda.current_stream", "torch.cuda.Stream"),
        ("torch.cuda.FloatTensor", "torch.cuda.FloatTensor"),
        ("torch.nn.Module.cuda", "Self"),
        ("torch.nn.Module.eval", "Self"),
        ("torch.nn.Module.to", "Self"),
        ("torch.nn.Module.parameters", "iterator[torch.nn.Parameter]"),
        ("torch.nn.Module.named_parameters", "iterator[tuple[str,torch.nn.Parameter]]"),
        ("torch.nn.Module.__call__", None),
        ("torch.nn.Linear.__call__", "torch.Tensor"),
        ("torch.nn.CrossEntropyLoss.__call__", "torch.Tensor"),
        ("torch.amp.GradScaler.scale", "torch.Tensor"),
        ("torch.load", None),
        ("torch.utils.data.DataLoader", "torch.utils.data.DataLoader"),
        ("torch.npu.current_stream", "torch.npu.Stream"),
        ("torch.npu.current_device", "int"),
        ("torch.Tensor.npu", "torch.Tensor"),
        ("horovod.torch.rank", "int"),
        ("torchvision.models.resnet50", "torch.nn.Module"),
    ],
)
def test_results(api: str, kind: str | None) -> None:
    assert types.returns(api) == kind


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("torch.Tensor.data", "torch.Tensor"),
        ("torch.Tensor.grad", "torch.Tensor"),
        ("torch.Tensor.device", "torch.device"),
        ("torch.Tensor.dtype", "torch.dtype"),
        ("torch.float16", "torch.dtype"),
        ("torch.return_types.max.indices", "torch.Tensor"),
        ("torch.nn.parallel.DistributedDataParallel.module", "torch.nn.Module"),
        # rules look for these by name, which a kind would hide
        ("torch.Tensor.is_cuda", None),
        ("torch.device.type", None),
        ("torch.cuda.Stream.cuda_stream", None),
    ],
)
def test_attributes(api: str, kind: str | None) -> None:
    assert types.attribute(api) == kind


@pytest.mark.parametrize(
    ("kind", "place", "expected"),
    [
        ("list[torch.Tensor]", 0, "torch.Tensor"),
        ("tuple[torch.Tensor,...]", 7, "torch.Tensor"),
        ("tuple[str,torch.nn.Parameter]", 1, "torch.nn.Parameter"),
        ("tuple[str,torch.nn.Parameter]", -1, "torch.nn.Parameter"),
        ("tuple[str,torch.nn.Parameter]", 2, None),
        ("tuple[str,torch.nn.Parameter]", None, None),
        ("tuple[torch.Tensor,torch.Tensor]", None, "torch.Tensor"),
        ("iterator[tuple[str,torch.Tensor]]", None, "tuple[str,torch.Tensor]"),
        ("tuple[str,?]", 1, None),
        ("torch.Tensor", 0, "torch.Tensor"),
        ("torch.nn.ModuleList", None, "torch.nn.Module"),
        ("torch.utils.data.DataLoader", None, None),
        ("tf.Tensor", 0, None),
        ("list", 0, None),
    ],
)
def test_items_of_containers(kind: str, place: int | None, expected: str | None) -> None:
    assert types.item(kind, place) == expected


@pytest.mark.parametrize(
    ("api", "base"),
    [
        ("torch.nn.Conv2d", "torch.nn.Module"),
        ("torch.nn.parallel.DistributedDataParallel", "torch.nn.Module"),
        ("torch.optim.SGD", "torch.optim.Optimizer"),
        ("torch.cuda.amp.autocast", "torch.autocast"),
        ("torch.cuda.LongTensor", "torch.Tensor"),
        ("torch.nn.Parameter", "torch.Tensor"),
        ("torch_npu.optim.NpuFusedAdam", "torch.optim.Optimizer"),
        ("apex.optimizers.FusedLAMB", "torch.optim.Optimizer"),
    ],
)
def test_is_a(api: str, base: str) -> None:
    assert types.is_a(api, base)


@pytest.mark.parametrize(
    ("api", "positional"),
    [
        ("torch.Tensor.to", "device dtype non_blocking copy"),
        ("torch.Tensor.cuda", "device non_blocking memory_format"),
        ("torch.nn.Linear.cuda", "device"),
        ("torch.nn.Module.to", ""),
        ("torch.device", "type index"),
        ("torch.load", "f map_location pickle_module"),
        ("torch.tensor", "data dtype device requires_grad pin_memory"),
        ("torch.autocast", "device_type dtype enabled cache_enabled"),
        (
            "torch.cuda.amp.GradScaler",
            "init_scale growth_factor backoff_factor growth_interval enabled",
        ),
        (
            "torch.npu.amp.GradScaler",
            "init_scale growth_factor backoff_factor growth_interval dynamic enabled",
        ),
        ("torch.nn.DataParallel", "module device_ids output_device dim"),
        ("horovod.torch.broadcast_parameters", "params root_rank"),
        ("torch.npu.set_device", "device"),
    ],
)
def test_parameters_by_position(api: str, positional: str) -> None:
    found = signatures.signature(types.member(api))
    assert found is not None
    assert list(found.positional) == positional.split()


@pytest.mark.parametrize(
    "api",
    """torch.zeros torch.ones torch.empty torch.full torch.rand torch.randn torch.randint
    torch.arange torch.eye torch.linspace torch.zeros_like torch.tensor torch.as_tensor
    torch.randperm torch.Generator torch.nn.Linear torch.nn.LSTM torch.Tensor.new_zeros
    torch.Tensor.new_tensor""".split(),  # noqa: SIM905
)
def test_what_makes_tensors_takes_a_device(api: str) -> None:
    found = signatures.signature(api)
    assert found is not None
    assert found.parameter("device") is not None


@pytest.mark.parametrize(
    ("api", "expected"),
    [
        ("torch.cuda", "torch.npu"),
        ("torch.cuda.amp", "torch.npu.amp"),
        ("torch.cuda.is_available", "torch.npu.is_available"),
        ("torch.cuda.memory.memory_allocated", "torch.npu.memory_allocated"),
        (
            "torch.cuda.memory._record_memory_history",
            "torch.npu.memory._record_memory_history",
        ),
        ("torch.cuda._lazy_init", "torch.npu._lazy_init"),
        ("torch.cuda.amp.autocast", "torch.npu.amp.autocast"),
        ("torch.cuda.Stream.wait_stream", "torch.npu.Stream.wait_stream"),
        ("torch.cuda.Stream.cuda_stream", "torch.npu.Stream.npu_stream"),
        ("torch.cuda.CUDAGraph.replay", "torch.npu.NPUGraph.replay"),
        ("torch.cuda.CUDAPluggableAllocator", "torch.npu.NPUPluggableAllocator"),
        ("torch.cuda.default_generators", "torch_npu.npu.default_generators"),
        ("torch.cuda.nvtx.range_push", "torch.npu.mstx.range_push"),
        ("torch.cuda.OutOfMemoryError", "torch.OutOfMemoryError"),
        ("torch.cuda.FloatTensor", "torch.npu.FloatTensor"),
        ("torch.nn.Linear.cuda", "torch.nn.Module.npu"),
        ("torch.Tensor.is_cuda", "torch.Tensor.is_npu"),
        ("torch.backends.cuda.matmul.allow_tf32", "torch.npu.matmul.allow_hf32"),
        ("torch.distributed.is_nccl_available", "torch.distributed.is_hccl_available"),
        ("torch.profiler.profile", "torch_npu.profiler.profile"),
        ("torch.cuda.nvtx.range", None),
        ("torch.cuda.comm.broadcast", None),
        ("torch.cuda.nccl.all_reduce", None),
        ("torch.cuda.profiler.start", None),
        ("torch.cuda.cudart", None),
        ("torch.cuda.get_arch_list", None),
        ("torch.cuda.sparse.FloatTensor", None),
        ("torch.cuda.tunable.enable", None),
        ("torch.cuda.no_such_thing", None),
        ("torch.zeros", None),
        ("torch.Tensor.cpu", None),
    ],
)
def test_counterparts(api: str, expected: str | None) -> None:
    assert torch_npu.counterpart(api) == expected


def test_every_name_of_torch_cuda_has_a_counterpart_or_advice() -> None:
    known = table("signatures-torch")["names"]
    cuda = [
        f"{module}.{word}"
        for module, words in known.items()
        if module.startswith("torch.cuda") and not types.is_class(module)
        for word in words
    ]
    assert len(cuda) > 150
    for api in cuda:
        assert torch_npu.counterpart(api) or torch_npu.advice(api), api


def test_counterparts_under_torch_npu_exist() -> None:
    same = [api for api in support.listed("supported", of=TORCH) if api.startswith("torch.cuda.")]
    found = [name for name in map(torch_npu.counterpart, same) if name is not None]
    assert len(found) > 90
    for name in found:
        owner = name.rpartition(".")[0]
        assert torch_npu.exists(name) or types.is_class(owner) or name.startswith("torch."), name


@pytest.mark.parametrize(
    ("api", "verdict"),
    [
        ("torch.zeros", "supported"),
        ("torch.nn.functional.dropout", "partial"),
        ("torch.nn.modules.dropout.Dropout", "partial"),
        ("torch.nn.DataParallel", "unsupported"),
        ("torch.nn.parallel.DataParallel", "unsupported"),
        ("torch.cuda.streams.Stream", "supported"),
        ("torch.cuda.comm.broadcast", "unsupported"),
        ("torch.nn.Linear.cuda", "partial"),
        ("torch_npu.npu.set_compile_mode", "supported"),
        ("torch.npu.set_compile_mode", "supported"),
        ("torch.optim.Adam.step", "unknown"),
        ("torch.vmap", "unknown"),
        ("flash_attn.flash_attn_func", "unsupported"),
        ("accelerate.Accelerator", "supported"),
        ("horovod.torch.init", "unsupported"),
    ],
)
def test_verdicts(api: str, verdict: str) -> None:
    found = support.lookup(api)
    assert found is not None
    assert found.effective == verdict


@pytest.mark.parametrize("api", ["torch.no_such_thing", "numpy.zeros", "torch"])
def test_no_verdict(api: str) -> None:
    assert support.lookup(api) is None


def test_notes_name_data_types_in_words() -> None:
    found = support.lookup("torch.nn.functional.selu")
    assert found is not None
    assert found.dtypes == {"input": ("fp16", "fp32")}
    assert "Verified with float16 and float32 for input." in found.note_text
    assert all(remark in found.note_text for remark in found.remarks)


def test_the_whole_table_is_there() -> None:
    verdicts = list(support.verdicts(TORCH))
    assert len(verdicts) == 4118
    statuses = set(support.legend("torch"))
    assert {item.effective for item in verdicts} <= statuses
    assert {item.vendor for item in verdicts} <= statuses


def test_releases_are_named_by_framework() -> None:
    assert "2.13" in support.release("torch.zeros")
    assert "1.15" in support.release("tf.zeros")
    both = support.release("torch.zeros", "tf.zeros")
    assert "2.13" in both
    assert "1.15" in both


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("torch.nn.functional.dropot", "torch.nn.functional.dropout"),
        ("torch.Tensor.cudaa", "torch.Tensor.cuda"),
    ],
)
def test_misspelt_names_lead_to_the_right_one(misspelt: str, meant: str) -> None:
    assert meant in support.closest(misspelt)


def test_describe_tells_the_counterpart() -> None:
    found = catalog.describe("torch.nn.Linear.cuda")
    assert found is not None
    assert found.counterpart == "torch.nn.Module.npu"
    nothing = catalog.describe("torch.cuda.nvtx.range")
    assert nothing is not None
    assert nothing.counterpart is None
    assert "mstx" in nothing.advice


@pytest.mark.parametrize(
    "api",
    """torch.nn.Linear torch.zeros torch.float16 torch.npu.set_device torch_npu.optim.NpuFusedAdam
    torch.nn.Module.cuda torch.Tensor.is_npu torch.npu.mstx.mark""".split(),  # noqa: SIM905
)
def test_known(api: str) -> None:
    assert CatalogKnowledge().known(api)


@pytest.mark.parametrize("api", ["torch.no_such_thing", "torch.npu.no_such_thing", "numpy.zeros"])
def test_not_known(api: str) -> None:
    assert not CatalogKnowledge().known(api)


def test_a_canonical_name_stays_what_it_is() -> None:
    moved = table("names-torch")["moved"]
    dotted = [
        f"{module}.{word.partition('=')[0]}"
        for module, targets in moved.items()
        for words in targets.values()
        for word in words.split()
    ]
    changed = [
        name for name in dotted if names.canonical(names.canonical(name)) != names.canonical(name)
    ]
    assert changed == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.zeros", "torch"),
        ("horovod.torch.init", "torch"),
        ("horovod.tensorflow.init", "tf1"),
        ("tf.zeros", "tf1"),
        ("numpy.zeros", None),
        ("list", None),
    ],
)
def test_the_root_of_a_name_chooses_the_tables(name: str, expected: str | None) -> None:
    assert framework(name) == expected


@pytest.mark.parametrize(
    ("api", "absent"),
    [("torch.Tensor.cuda", "tf1"), ("tensorflow.nn.dropout", "torch")],
    ids=["PyTorch", "TensorFlow"],
)
def test_one_framework_does_not_load_the_tables_of_another(api: str, absent: str) -> None:
    program = f"""
import json, pathlib
read, seen = pathlib.Path.read_bytes, []
def spy(self):
    seen.append(self.name)
    return read(self)
pathlib.Path.read_bytes = spy
from ascendify.catalog import describe
from ascendify.catalog.knowledge import CatalogKnowledge
known = CatalogKnowledge()
name = known.canonical({api!r})
known.returns(name), known.attribute(name), known.member(name), known.known(name)
known.returns("list.__add__"), known.returns("os.path.join"), known.canonical("numpy.zeros")
describe({api!r})
print(json.dumps(seen))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=ROOT
    )
    seen = json.loads(done.stdout)
    assert seen
    assert [name for name in seen if absent in name] == []
