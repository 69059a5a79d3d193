"""A process that sees several devices and chooses one; started with ASCENDIFY_DEVICES=4."""

import io
import os

import torch
from torch_harness import HAS_ACCELERATOR, case, main, raises
from torch_npu._device.devices import visible_devices


@case
def seeds_before_the_first_use_are_kept():
    torch.npu.manual_seed(5)
    assert not torch.npu.is_initialized() and torch.npu.default_generators == ()
    first = torch.rand(2, device="npu")
    assert torch.npu.is_initialized() and len(torch.npu.default_generators) == 4
    torch.npu.manual_seed(5)
    assert torch.equal(torch.rand(2, device="npu"), first)


@case
def the_device_is_chosen():
    assert torch.npu.device_count() == 4 and torch.npu.current_device() == 0
    raises(ValueError, "Expected a npu device, but got: cpu", torch.npu.set_device, "cpu")
    raises(RuntimeError, "Invalid device ID", torch.npu.set_device, 4)
    torch.npu.set_device(-1)
    assert torch.npu.current_device() == 0
    torch.npu.set_device("npu:2")
    assert torch.npu.current_device() == 2
    if HAS_ACCELERATOR:
        assert torch.accelerator.current_device_index() == 2
        assert torch.accelerator.device_count() == 4
    with torch.npu.device(1):
        assert torch.npu.current_device() == 1
    with torch.npu.device(None):
        assert torch.npu.current_device() == 2


@case
def tensors_report_the_chosen_index():
    torch.npu.set_device(2)
    for made in (
        torch.ones(1).npu(), torch.ones(1).to("npu"), torch.zeros(1, device="npu:2"),
        torch.ones(1).to(2), torch.ones(1).npu(2), torch.ones(1).to(device=torch.device("npu", 2)),
    ):  # fmt: skip
        assert made.device == torch.device("npu:2") and made.get_device() == 2
        assert made.to(made.device) is made and made.to("npu") is made
    assert torch.npu.current_stream().device == torch.device("npu:2")
    m = torch.nn.Linear(2, 2).to("npu:2")
    m(torch.ones(1, 2, device="npu:2")).sum().backward()
    assert m.weight.grad.device.index == 2 and torch.ones(1).device.type == "cpu"
    assert "npu:2" in repr(made) and m.weight.untyped_storage().device.index == 2
    raises(RuntimeError, "Invalid device ID", torch.ones(1).to, "npu:9")
    raises(RuntimeError, "npu:2 and cpu", lambda: m.weight + torch.ones(2, 2))


@case
def checkpoints_carry_the_index():
    torch.npu.set_device(2)
    file = io.BytesIO()
    torch.save(torch.ones(1).npu(), file)
    assert b"npu:2" in file.getvalue()
    file.seek(0)
    assert torch.load(file, map_location={"npu:2": "cpu"}).is_cpu


@case
def properties_follow_the_model():
    for soc, name, bfloat16 in (("910A", "Ascend910A", False), ("A3", "Ascend910_9391", True)):
        os.environ["ASCENDIFY_SOC"] = soc
        assert torch.npu.get_device_name(0) == name and torch.npu.is_bf16_supported() is bfloat16
        assert (torch.bfloat16 in torch.npu.get_amp_supported_dtype()) is bfloat16
        assert torch.npu.utils.is_support_inf_nan() is bfloat16
    properties = torch.npu.get_device_properties("npu:3")
    assert properties.total_memory > 2**34 and properties.cube_core_num > 0
    raises(AttributeError, "multi_processor_count", lambda: properties.multi_processor_count)
    raises(AssertionError, "Invalid device id", torch.npu.get_device_properties, 4)


@case
def visible_devices_are_read_as_the_driver_reads_them():
    for text, expected in (
        ("0,1", [0, 1]), ("", []), ("1,0", []), ("0,0", []), ("2,3,x,1", [2, 3]), ("0,9", [0]),
        ("abc", []), ("3", [3]),
    ):  # fmt: skip
        assert visible_devices(text, 4) == expected, text


if __name__ == "__main__":
    main()
